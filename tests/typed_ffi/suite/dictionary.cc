// All attributes as one dictionary, and dictionaries in it.
#include <string>
#include <string_view>

#include "suite.h"

namespace {

template <typename T>
double Number(const ffi::Dictionary& attributes, std::string_view name, double otherwise) {
  auto value = attributes.get<T>(name);
  return value.has_value() ? static_cast<double>(*value) : otherwise;
}

// `missing` and `x` as another type are errors, not crashes.
ffi::Error Get(ffi::Result<F64> out, ffi::Dictionary attributes) {
  Write(*out, {static_cast<double>(attributes.size()), attributes.contains("x") ? 1.0 : 0.0,
               attributes.contains("missing") ? 1.0 : 0.0, Number<float>(attributes, "x", -5),
               Number<int32_t>(attributes, "y", -5), Number<int32_t>(attributes, "missing", -6),
               Number<int64_t>(attributes, "x", -7)});
  return Ok();
}

ffi::Error Nested(ffi::Result<F64> out, ffi::Dictionary inner, int32_t x) {
  auto innermost = inner.get<ffi::Dictionary>("innermost");
  Write(*out,
        {static_cast<double>(x), static_cast<double>(inner.size()), Number<int32_t>(inner, "y", -5),
         innermost.has_value() ? Number<double>(*innermost, "z", -5) : -6});
  return Ok();
}

// The message of what is missing, as an error.
ffi::Error Message(ffi::Result<F64>, ffi::Dictionary attributes) {
  auto missing = attributes.get<int32_t>("missing");
#if SUITE_HEADERS >= 434
  return Invalid(missing.error().message());
#else
  return Invalid(missing.error());
#endif
}

#if SUITE_HEADERS >= 803
// The names in their order as one text, and what each is.
ffi::Error Iterate(ffi::Result<S32> out, ffi::Dictionary attributes) {
  std::string names;
  int floats = 0;
  for (auto it = attributes.begin(); it != attributes.end(); ++it) {
    names += *it;
    names += ',';
    if (attributes.isa<float>(it)) ++floats;
  }
  int range = 0;
  for (std::string_view name : attributes) range += static_cast<int>(name.size());
  Write(*out,
        {static_cast<double>(attributes.size()), attributes.begin() == attributes.end() ? 1.0 : 0.0,
         names == "a,bb,c,s," ? 1.0 : 0.0, static_cast<double>(floats), static_cast<double>(range),
         attributes.contains<int32_t>("a") ? 1.0 : 0.0, attributes.contains<float>("a") ? 1.0 : 0.0,
         attributes.contains<std::string_view>("s") ? 1.0 : 0.0,
         attributes.contains<int32_t>("missing") ? 1.0 : 0.0});
  return Ok();
}
#endif

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(dictionary, Get, ffi::Ffi::Bind().Ret<F64>().Attrs());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    dictionary_nested, Nested,
    ffi::Ffi::Bind().Ret<F64>().Attr<ffi::Dictionary>("inner").Attr<int32_t>("x"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(dictionary_message, Message, ffi::Ffi::Bind().Ret<F64>().Attrs());
#if SUITE_HEADERS >= 803
XLA_FFI_DEFINE_HANDLER_SYMBOL(dictionary_iterate, Iterate, ffi::Ffi::Bind().Ret<S32>().Attrs());
#endif
