// TensorFlow 2.13.1 for a process that has another TensorFlow: this library is linked to copies of
// its libraries under names of their own. import_order.py loads it.
#include "executed.h"
#include "tensorflow/compiler/xla/client/xla_builder.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"
#include "tensorflow/compiler/xla/shape_util.h"

// Others register a target of this name too, which adds no thousand.
void add(void* out, const void** in) {
  *static_cast<int*>(out) =
      *static_cast<const int*>(in[0]) + *static_cast<const int*>(in[1]) + 1000;
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(add);

// a + b + 1000, by a custom call in TensorFlow 2.13.1's XLA
extern "C" int run_add(int a, int b) {
  xla::XlaBuilder builder("add");
  xla::CustomCall(&builder, "add", {xla::ConstantR0(&builder, a), xla::ConstantR0(&builder, b)},
                  xla::ShapeUtil::MakeShape(xla::S32, {}));
  return Executed(builder.Build().value(), {}).value().Get<int>({});
}
