// Programs that build computations with custom calls and run them, by one source that is compiled
// against callbridge's headers and against genuine XLA's (then GENUINE_XLA is defined). Prints each
// program's results in hexadecimal, or its error.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executed.h"
#include "tensorflow/compiler/xla/client/client_library.h"
#include "tensorflow/compiler/xla/client/local_client.h"
#include "tensorflow/compiler/xla/client/xla_builder.h"
#include "tensorflow/compiler/xla/client/xla_computation.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/literal_util.h"
#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"
#include "tensorflow/compiler/xla/shape_util.h"
#include "tensorflow/compiler/xla/xla_data.pb.h"

#ifdef GENUINE_XLA
#include "tensorflow/compiler/xla/service/custom_call_status_internal.h"

// No TensorFlow wheel exports these, so a program brings them.
extern "C" void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  status->message.reset();
}
extern "C" void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                              size_t message_len) {
  status->message.emplace(message, strnlen(message, message_len));
}
#endif

namespace {

using xla::F32;
using xla::S32;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaOp;

// ---- Targets ------------------------------------------------------------------------------------

std::atomic<int> calls{0};
std::string call_log;

// (f32[2], (f32[3], f32[4]), f32[5]) -> (f32[2], (f32[3])): sums and differences.
void Nested(void* out, const void** in) {
  const void* const* tuple = static_cast<const void* const*>(in[0]);
  const void* const* inner = static_cast<const void* const*>(tuple[1]);
  const float* a = static_cast<const float*>(tuple[0]);
  const float* b = static_cast<const float*>(inner[0]);
  const float* c = static_cast<const float*>(inner[1]);
  const float* d = static_cast<const float*>(tuple[2]);
  void** results = static_cast<void**>(out);
  float* sums = static_cast<float*>(results[0]);
  float* differences = static_cast<float*>(results[1]);
  for (int i = 0; i < 2; ++i) sums[i] = a[i] + b[i] + c[i] + d[i];
  for (int i = 0; i < 3; ++i) differences[i] = b[i] - c[i] * d[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Nested, "Host");

// (f32[4]) -> (f32[4])
void OneElementTuple(void* out, const void** in) {
  const float* x = static_cast<const float*>(static_cast<const void* const*>(in[0])[0]);
  float* y = static_cast<float*>(static_cast<void**>(out)[0]);
  for (int i = 0; i < 4; ++i) y[i] = 2 * x[i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(OneElementTuple, "Host");

// f32[4] -> f32[4]: also in place.
void Increment(void* out, const void** in) {
  ++calls;
  const float* x = static_cast<const float*>(in[0]);
  float* y = static_cast<float*>(out);
  for (int i = 0; i < 4; ++i) y[i] = x[i] + 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Increment, "Host");

// f32[4] -> s32[1]: whether the result's memory is the operand's is not its business, so it only
// writes when told where.
void IncrementInPlace(void* out, const void** in) {
  float* x = static_cast<float*>(out);
  const bool in_place = out == in[0];
  for (int i = 0; i < 4; ++i) x[i] = in_place ? x[i] + 1 : -1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(IncrementInPlace, "Host");

void FailOnNegative(void* out, const void** in, XlaCustomCallStatus* status) {
  const float x = *static_cast<const float*>(in[0]);
  *static_cast<float*>(out) = x;
  if (x < 0) XlaCustomCallStatusSetFailure(status, "it is negative, and more", 14);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(FailOnNegative, "Host");

// () -> u8[16]: the opaque's size, and its bytes.
void CopyOpaque(void* out, const void**, const char* opaque, size_t opaque_len,
                XlaCustomCallStatus*) {
  memset(out, 0xee, 16);
  static_cast<char*>(out)[0] = static_cast<char>(opaque_len);
  memcpy(static_cast<char*>(out) + 1, opaque, opaque_len);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(CopyOpaque, "Host");

// s32[n] -> s32[n], where the opaque is a serialized ShapeProto of s32[n].
void NegateByShape(void* out, const void** in, const char* opaque, size_t opaque_len,
                   XlaCustomCallStatus* status) {
  xla::ShapeProto shape;
  if (!shape.ParseFromArray(opaque, static_cast<int>(opaque_len)) || shape.dimensions_size() != 1) {
    XlaCustomCallStatusSetFailure(status, "no shape", 8);
    return;
  }
  for (int64_t i = 0; i < shape.dimensions(0); ++i) {
    static_cast<int32_t*>(out)[i] = -static_cast<const int32_t*>(in[0])[i];
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(NegateByShape, "Host");

// f32[4] -> (f32[4], f32[8]): the second one is memory to work in.
void WithTemporary(void* out, const void** in) {
  const float* x = static_cast<const float*>(in[0]);
  float* y = static_cast<float*>(static_cast<void**>(out)[0]);
  float* temporary = static_cast<float*>(static_cast<void**>(out)[1]);
  for (int i = 0; i < 8; ++i) temporary[i] = x[i % 4] * static_cast<float>(i);
  for (int i = 0; i < 4; ++i) y[i] = temporary[i] + temporary[i + 4];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(WithTemporary, "Host");

// f32[] -> f32[]: notes that it was called.
void NoteA(void* out, const void** in) {
  call_log += 'A';
  memcpy(out, in[0], 4);
}
void NoteB(void* out, const void** in) {
  call_log += 'B';
  memcpy(out, in[0], 4);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(NoteA, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(NoteB, "Host");

// The bytes as they lie, with their places: f32[6] in whatever order.
void BytesTimesPlace(void* out, const void** in) {
  for (int i = 0; i < 6; ++i) {
    static_cast<float*>(out)[i] = static_cast<const float*>(in[0])[i] * static_cast<float>(i + 1);
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(BytesTimesPlace, "Host");

// What the floating-point mode makes of the smallest normal number's half.
void HalveSmallest(void* out, const void** in) {
  volatile float x = *static_cast<const float*>(in[0]);
  *static_cast<float*>(out) = x * 0.5f;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(HalveSmallest, "Host");

// ---- Running ------------------------------------------------------------------------------------

std::string Hex(const void* data, int64_t size) {
  static const char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int64_t i = 0; i < size; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(data)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void Print(const xla::Literal& literal) {
  ShapeUtil::ForEachSubshape(
      literal.shape(), [&](const xla::Shape& shape, const xla::ShapeIndex& index) {
        if (!shape.IsArray()) return;
        std::cout << "  " << ShapeUtil::HumanString(shape) << " "
                  << Hex(literal.untyped_data(index), ShapeUtil::ByteSizeOf(shape)) << "\n";
      });
}

void Run(const std::string& name, XlaBuilder& builder,
         const std::vector<const xla::Literal*>& arguments = {}) {
  std::cout << name << "\n";
  auto computation = builder.Build();
  if (!computation.ok()) {
    std::cout << "  not built: " << computation.status().ToString() << "\n";
    return;
  }
  auto result = Executed(computation.value(), arguments);
  if (!result.ok()) {
    // callbridge adds whose call it was.
    const std::string message(result.status().message());
    std::cout << "  " << static_cast<int>(result.status().code()) << ": "
              << message.substr(0, message.find(" (instruction")) << "\n";
    return;
  }
  Print(result.value());
}

XlaOp Floats(XlaBuilder* builder, std::initializer_list<float> values) {
  return xla::ConstantR1<float>(builder, values);
}

xla::Shape F32s(int64_t size) { return ShapeUtil::MakeShape(F32, {size}); }
xla::Shape F32Scalar() { return ShapeUtil::MakeShape(F32, {}); }

// ---- Programs -----------------------------------------------------------------------------------

void NestedTupleOperands() {
  for (bool is_parameter : {true, false}) {
    XlaBuilder builder("nested");
    const xla::Literal a = xla::LiteralUtil::CreateR1<float>({1, 2});
    const xla::Literal b = xla::LiteralUtil::CreateR1<float>({3, 4, 5});
    const xla::Literal c = xla::LiteralUtil::CreateR1<float>({6, 7, 8, 9});
    const xla::Literal d = xla::LiteralUtil::CreateR1<float>({0.1f, 0.2f, 0.3f, 0.4f, 0.5f});
    const xla::Literal inner = xla::LiteralUtil::MakeTuple({&b, &c});
    const xla::Literal all = xla::LiteralUtil::MakeTuple({&a, &inner, &d});
    const XlaOp operand =
        is_parameter ? xla::Parameter(&builder, 0, all.shape(), "all")
                     : xla::Tuple(&builder, {Floats(&builder, {1, 2}),
                                             xla::Tuple(&builder, {Floats(&builder, {3, 4, 5}),
                                                                   Floats(&builder, {6, 7, 8, 9})}),
                                             Floats(&builder, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f})});
    xla::CustomCall(&builder, "Nested", {operand}, ShapeUtil::MakeTupleShape({F32s(2), F32s(3)}));
    std::vector<const xla::Literal*> arguments;
    if (is_parameter) arguments.push_back(&all);
    Run(is_parameter ? "nested tuple, a parameter" : "nested tuple, built", builder, arguments);
  }
}

void OneElementTuples() {
  XlaBuilder builder("one");
  const XlaOp operand = xla::Tuple(&builder, {Floats(&builder, {1, 2, 3, 4})});
  xla::CustomCall(&builder, "OneElementTuple", {operand}, ShapeUtil::MakeTupleShape({F32s(4)}));
  Run("tuples of one element", builder);
}

void Statuses() {
  for (float value : {2.5f, -2.5f}) {
    XlaBuilder builder("status");
    const XlaOp x = xla::ConstantR0<float>(&builder, value);
    const XlaOp checked = xla::CustomCall(&builder, "FailOnNegative", {x}, F32Scalar(),
                                          /*opaque=*/"", /*has_side_effect=*/false,
                                          /*output_operand_aliasing=*/{}, /*literal=*/nullptr,
                                          /*schedule=*/xla::CustomCallSchedule::SCHEDULE_NONE,
                                          /*api_version=*/xla::API_VERSION_STATUS_RETURNING);
    calls = 0;
    xla::CustomCall(&builder, "Increment", {xla::Broadcast(checked, {4})}, F32s(4));
    Run(value < 0 ? "status of failure" : "status of success", builder);
    std::cout << "  calls behind it: " << calls << "\n";
  }
}

void Opaques() {
  using std::string_literals::operator""s;
  for (const std::string& opaque : {""s, "text"s, "\0\xff\0\n\""s, "{}"s}) {
    XlaBuilder builder("opaque");
    xla::CustomCall(&builder, "CopyOpaque", {}, ShapeUtil::MakeShape(xla::U8, {16}), opaque, false,
                    {}, nullptr, xla::CustomCallSchedule::SCHEDULE_NONE,
                    xla::API_VERSION_STATUS_RETURNING_UNIFIED);
    Run("opaque of " + std::to_string(opaque.size()) + " bytes", builder);
  }
  XlaBuilder builder("shape");
  const std::string opaque = ShapeUtil::MakeShape(S32, {5}).ToProto().SerializeAsString();
  xla::CustomCall(&builder, "NegateByShape", {xla::ConstantR1<int32_t>(&builder, {1, -2, 3, 4, 5})},
                  ShapeUtil::MakeShape(S32, {5}), opaque, false, {}, nullptr,
                  xla::CustomCallSchedule::SCHEDULE_NONE,
                  xla::API_VERSION_STATUS_RETURNING_UNIFIED);
  Run("opaque with a shape", builder);
}

void Aliases() {
  const xla::Literal argument = xla::LiteralUtil::CreateR1<float>({10, 20, 30, 40});
  const auto in_place = [](XlaBuilder* builder, XlaOp x) {
    return xla::CustomCall(builder, "IncrementInPlace", {x}, F32s(4), "", false, {{{}, {0, {}}}});
  };
  {
    XlaBuilder builder("alias");
    const XlaOp x = xla::Parameter(&builder, 0, argument.shape(), "x");
    const XlaOp y = x * x;
    const XlaOp z = in_place(&builder, y);
    xla::Tuple(&builder, {y, z, x});
    Run("aliased value that is still needed", builder, {&argument});
  }
  {
    XlaBuilder builder("alias");
    const XlaOp x = xla::Parameter(&builder, 0, argument.shape(), "x");
    xla::Tuple(&builder, {in_place(&builder, x), in_place(&builder, x), x});
    Run("aliased parameter, twice", builder, {&argument});
  }
  {
    XlaBuilder builder("alias");
    XlaOp x = xla::Parameter(&builder, 0, argument.shape(), "x");
    for (int i = 0; i < 5; ++i) x = in_place(&builder, x + x);
    Run("chain of aliases", builder, {&argument});
  }
  {
    XlaBuilder builder("alias");
    in_place(&builder, Floats(&builder, {1, 2, 3, 4}));
    Run("aliased constant", builder);
  }
}

void Effects() {
  for (bool has_side_effect : {true, false}) {
    XlaBuilder builder("effects");
    calls = 0;
    const XlaOp x = Floats(&builder, {1, 2, 3, 4});
    xla::CustomCall(&builder, "Increment", {x}, F32s(4), "", has_side_effect);
    const XlaOp result = x + x;
    xla::GetTupleElement(xla::Tuple(&builder, {result}), 0);
    Run(has_side_effect ? "effect that nobody reads" : "pure call that nobody reads", builder);
    std::cout << "  calls: " << calls << "\n";
  }
}

void Temporaries() {
  XlaBuilder builder("temporary");
  const XlaOp both = xla::CustomCall(&builder, "WithTemporary", {Floats(&builder, {1, 2, 3, 4})},
                                     ShapeUtil::MakeTupleShape({F32s(4), F32s(8)}));
  xla::GetTupleElement(both, 0);
  Run("temporary output", builder);
}

void Tokens() {
  for (bool a_first : {true, false}) {
    XlaBuilder builder("tokens");
    call_log.clear();
    const XlaOp x = xla::ConstantR0<float>(&builder, 1.5f);
    const XlaOp first = xla::CustomCall(&builder, a_first ? "NoteA" : "NoteB", {x}, F32Scalar(), "",
                                        /*has_side_effect=*/true);
    // A token behind the first call, and an operand that waits for it.
    const XlaOp token = xla::AfterAll(&builder, {xla::CreateToken(&builder)});
    const XlaOp waiting =
        xla::internal::XlaBuilderFriend::BuildAddDependency(&builder, first, token, F32Scalar());
    xla::CustomCall(&builder, a_first ? "NoteB" : "NoteA", {waiting}, F32Scalar(), "",
                    /*has_side_effect=*/true);
    Run("tokens", builder);
    std::cout << "  " << call_log << "\n";
  }
}

void Mixed() {
  XlaBuilder builder("mixed");
  const xla::Literal argument = xla::LiteralUtil::CreateR1<float>({1.5f, -2.25f, 1e30f, 0.f});
  const XlaOp x = xla::Parameter(&builder, 0, argument.shape(), "x");
  const XlaOp one_more = xla::CustomCall(&builder, "Increment", {xla::Abs(xla::Neg(x))}, F32s(4));
  const XlaOp scaled = one_more / xla::ConstantR0<float>(&builder, 4.f);
  const XlaOp twice = xla::CustomCall(&builder, "Increment", {scaled}, F32s(4));
  const XlaOp integers = xla::ConvertElementType(twice, S32);
  const XlaOp table = xla::Reshape(xla::BroadcastInDim(twice, {3, 4}, {1}), {2, 6});
  xla::Tuple(&builder, {twice - x, integers, table, xla::Max(x, twice), xla::Min(x, twice)});
  Run("elementwise and custom calls", builder, {&argument});
}

void Constants() {
  XlaBuilder builder("constants");
  const xla::Literal inner = xla::LiteralUtil::CreateR0<int64_t>(-5);
  const xla::Literal pred = xla::LiteralUtil::CreateR0<bool>(true);
  xla::Tuple(&builder,
             {xla::ConstantR0<float>(&builder, 0.1f), xla::ConstantR0<double>(&builder, 0.1),
              xla::ConstantR0<int8_t>(&builder, -128), xla::ConstantR0<uint64_t>(&builder, ~0ull),
              xla::ConstantLiteral(&builder, pred), xla::ConstantLiteral(&builder, inner),
              xla::ConstantR1<int32_t>(&builder, {1, -2, 3}),
              xla::ConstantR2<float>(&builder, {{1, 2, 3}, {4, 5, 6}}),
              xla::ConvertElementType(xla::ConstantR0<float>(&builder, 0.1f), xla::BF16),
              xla::ConvertElementType(xla::ConstantR0<float>(&builder, 0.1f), xla::F16)});
  Run("constants", builder);
}

void Layouts() {
  XlaBuilder builder("layouts");
  const xla::Literal argument = xla::LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  const XlaOp x = xla::Parameter(&builder, 0, argument.shape(), "x");
  const auto shape = [](std::initializer_list<int64_t> order) {
    return ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, order);
  };
  std::vector<XlaOp> results;
  for (bool operand_columns : {false, true}) {
    for (bool result_columns : {false, true}) {
      results.push_back(xla::CustomCallWithLayout(
          &builder, "BytesTimesPlace", {x}, result_columns ? shape({0, 1}) : shape({1, 0}),
          {operand_columns ? shape({0, 1}) : shape({1, 0})}));
    }
  }
  xla::Tuple(&builder, results);
  Run("layouts", builder, {&argument});
}

void CalledComputations() {
  XlaBuilder callee("callee");
  const XlaOp y = xla::Parameter(&callee, 0, F32s(4), "y");
  xla::CustomCall(&callee, "Increment", {y}, F32s(4));
  const auto computation = callee.Build();
  XlaBuilder builder("caller");
  XlaOp x = Floats(&builder, {1, 2, 3, 4});
  for (int i = 0; i < 3; ++i) x = xla::Call(&builder, computation.value(), {x});
  Run("called computation", builder);
}

void FloatingPointMode() {
  XlaBuilder builder("subnormal");
  xla::CustomCall(&builder, "HalveSmallest", {xla::ConstantR0<float>(&builder, 0x1p-126f)},
                  F32Scalar());
  Run("subnormal numbers", builder);
}

void Handles() {
  XlaBuilder builder("handle");
  const XlaOp x = xla::Parameter(&builder, 0, F32s(4), "x");
  xla::CustomCall(&builder, "Increment", {x}, F32s(4));
  const auto computation = builder.Build();
  xla::Client* client = xla::ClientLibrary::GetOrCreateLocalClient().value();
  const auto handle = client->Compile(computation.value(), {F32s(4)});
  std::cout << "handle\n";
  std::unique_ptr<xla::GlobalData> data =
      client->TransferToServer(xla::LiteralUtil::CreateR1<float>({1, 2, 3, 4})).value();
  for (int i = 0; i < 3; ++i) data = client->Execute(handle.value(), {data.get()}).value();
  Print(client->Transfer(*data).value());
  const auto bad = client->Execute(computation.value(), {});
  std::cout << "  " << static_cast<int>(bad.status().code()) << "\n";
}

void MissingTarget() {
  XlaBuilder builder("missing");
  xla::CustomCall(&builder, "NotThere", {}, F32Scalar());
  const auto computation = builder.Build();
  const auto result =
      xla::ClientLibrary::LocalClientOrDie()->ExecuteAndTransfer(computation.value(), {});
  std::cout << "missing target\n  " << (result.ok() ? "runs" : "is an error") << "\n";
}

}  // namespace

int main() {
  NestedTupleOperands();
  OneElementTuples();
  Statuses();
  Opaques();
  Aliases();
  Effects();
  Temporaries();
  Tokens();
  Mixed();
  Constants();
  Layouts();
  CalledComputations();
  FloatingPointMode();
  Handles();
  MissingTarget();
}
