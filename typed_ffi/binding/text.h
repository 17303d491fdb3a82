// internal::Text: builds a message. Its functions are out of line, since messages would be most of
// the code of a handler otherwise.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_TEXT_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "callbridge/typed_ffi/binding/c_values.h"
#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// Empty if a broken frame has no text.
inline std::string_view View(const XLA_FFI_ByteSpan* text) {
  if (text == nullptr || text->ptr == nullptr) return {};
  return std::string_view(text->ptr, text->len);
}

class Text {
 public:
  CALLBRIDGE_FFI_COLD Text() {}
  CALLBRIDGE_FFI_COLD ~Text() {}

  CALLBRIDGE_FFI_COLD Text& operator<<(const char* text) {
    text_ += text;
    return *this;
  }
  CALLBRIDGE_FFI_COLD Text& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  CALLBRIDGE_FFI_COLD Text& operator<<(int64_t number) {
    text_ += std::to_string(number);
    return *this;
  }
  // A C enum's value: "F32", "scalar", or "unknown (77)".
  template <typename Enum, typename = decltype(NameOf(Enum()))>
  Text& operator<<(Enum value) {
    return Named(NameOf(value), value);
  }
  Text& operator<<(DataType dtype) { return *this << static_cast<XLA_FFI_DataType>(dtype); }

  // "a, b, c"
  CALLBRIDGE_FFI_COLD Text& operator<<(const XLA_FFI_Attrs& attrs) {
    for (int64_t i = 0; i < attrs.size; ++i) *this << (i > 0 ? ", " : "") << View(attrs.names[i]);
    return *this;
  }

  bool empty() const { return text_.empty(); }
  const char* c_str() const { return text_.c_str(); }
  std::string_view view() const { return text_; }

 private:
  CALLBRIDGE_FFI_COLD Text& Named(const char* name, int number) {
    if (name != nullptr) return *this << name;
    return *this << "unknown (" << int64_t{number} << ")";
  }

  std::string text_;
};

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_TEXT_H_
