// Functions of the untyped ABIs, each with a typed handler by CALLBRIDGE_EXPORT; exported_cases.py
// has what they must answer.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "callbridge/export.h"

namespace {

// Of 3 elements.
void Add(void* out, const void** in) {
  for (int i = 0; i < 3; ++i) {
    static_cast<float*>(out)[i] =
        static_cast<const float*>(in[0])[i] + static_cast<const float*>(in[1])[i];
  }
}

// Doubles the first two elements of what has two, else the first.
void Double(void* out, const void** in, XlaCustomCallStatus* status) {
  const auto* from = static_cast<const float*>(in[0]);
  if (from[0] < 0) {
    XlaCustomCallStatusSetFailure(status, "negative", 8);
    return;
  }
  static_cast<float*>(out)[0] = 2 * from[0];
  if (from[0] == 1) static_cast<float*>(out)[1] = 2 * from[1];
}

// The opaque's size, its bytes, -1.
void Opaque(void* out, const void**, const char* opaque, size_t size, XlaCustomCallStatus*) {
  auto* to = static_cast<int32_t*>(out);
  *to++ = static_cast<int32_t>(size);
  for (size_t i = 0; i < size; ++i) *to++ = static_cast<unsigned char>(opaque[i]);
  *to = -1;
}

// (f32[2], (f32[2], f32[2])) -> (f32[2], s32[1]): the sum, and how many there were.
void Tuples(void* out, const void** in) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* pair = static_cast<const void* const*>(in[1]);
  const auto* b = static_cast<const float*>(pair[0]);
  const auto* c = static_cast<const float*>(pair[1]);
  void** results = static_cast<void**>(out);
  for (int i = 0; i < 2; ++i) static_cast<float*>(results[0])[i] = a[i] + b[i] + c[i];
  *static_cast<int32_t*>(results[1]) = 3;
}

// A state that is made of the opaque, and counts the calls.
struct Plan {
  size_t opaque_size;
  std::atomic<int32_t> calls{0};
};
std::unique_ptr<Plan> MakePlan(const char*, size_t opaque_size) {
  if (opaque_size == 0) throw std::runtime_error("no plan for nothing");
  auto plan = std::make_unique<Plan>();
  plan->opaque_size = opaque_size;
  return plan;
}
// The opaque's size when the state was made, and how often it was called.
void UsePlan(Plan& plan, void* out, const void**) {
  static_cast<int32_t*>(out)[0] = static_cast<int32_t>(plan.opaque_size);
  static_cast<int32_t*>(out)[1] = ++plan.calls;
}

void Throw(void*, const void**) { throw std::runtime_error("thrown on purpose"); }

}  // namespace

CALLBRIDGE_EXPORT(exported_original, Add);
CALLBRIDGE_EXPORT(exported_status, Double);
CALLBRIDGE_EXPORT(exported_opaque, Opaque);
CALLBRIDGE_EXPORT(
    exported_tuples, Tuples,
    callbridge::ExportOptions().Shapes("f32[2], (f32[2], f32[2]) -> (f32[2], s32[1])"));
CALLBRIDGE_EXPORT(exported_state, UsePlan, callbridge::ExportOptions().State<&MakePlan>());
CALLBRIDGE_EXPORT(exported_throws, Throw);
