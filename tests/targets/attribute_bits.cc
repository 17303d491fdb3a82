// Typed handlers that write the bits of their floating-point attributes, whatever the operands.
#include <cstdint>
#include <cstring>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

// Writes values as 32-bit words, the low one of each 64-bit value first.
class Words {
 public:
  explicit Words(uint32_t* next) : next_(next) {}

  template <typename T>
  void Write(const T* values, size_t count) {
    std::memcpy(next_, values, count * sizeof(T));
    next_ += count * sizeof(T) / sizeof(uint32_t);
  }

 private:
  uint32_t* next_;
};

// single, double, 2 singles, 2 doubles; without doing arithmetic, which would quiet a signaling
// NaN.
ffi::Error AttributeBits(ffi::RemainingArgs, ffi::Result<ffi::Buffer<ffi::U32>> bits, float single,
                         double number, ffi::Span<const float> singles,
                         ffi::Span<const double> numbers) {
  Words words(bits->typed_data());
  words.Write(&single, 1);
  words.Write(&number, 1);
  words.Write(singles.begin(), singles.size());
  words.Write(numbers.begin(), numbers.size());
  return ffi::Error::Success();
}

ffi::Error InnerAttributeBits(ffi::RemainingArgs args, ffi::Result<ffi::Buffer<ffi::U32>> bits,
                              ffi::Dictionary inner) {
  auto single = inner.get<float>("single");
  auto number = inner.get<double>("number");
  auto singles = inner.get<ffi::Span<const float>>("singles");
  auto numbers = inner.get<ffi::Span<const double>>("numbers");
  if (!single || !number || !singles || !numbers) {
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, "an attribute is missing");
  }
  return AttributeBits(args, bits, *single, *number, *singles, *numbers);
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(AttributeBitsHandler, AttributeBits,
                              ffi::Ffi::Bind()
                                  .RemainingArgs()
                                  .Ret<ffi::Buffer<ffi::U32>>()
                                  .Attr<float>("single")
                                  .Attr<double>("number")
                                  .Attr<ffi::Span<const float>>("singles")
                                  .Attr<ffi::Span<const double>>("numbers"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    InnerAttributeBitsHandler, InnerAttributeBits,
    ffi::Ffi::Bind().RemainingArgs().Ret<ffi::Buffer<ffi::U32>>().Attr<ffi::Dictionary>("inner"));

#ifndef UNREGISTERED
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "attribute_bits", "Host", AttributeBitsHandler);
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "inner_attribute_bits", "Host",
                         InnerAttributeBitsHandler);
#endif
