// The part of callbridge_ffi.h for attributes.
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/c_api/arguments.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/ffi_context.h"
#include "callbridge/c_api/to_c.h"

using callbridge::Attributes;
using callbridge::CheckArray;
using callbridge::PrimitiveType;
using callbridge::WithoutExceptions;

namespace {

absl::StatusOr<PrimitiveType> ElementType(int32_t number) {
  const auto type = static_cast<PrimitiveType>(number);
  if (callbridge::IsPrimitiveType(number) && callbridge::IsArrayElement(type)) return type;
  return absl::InvalidArgumentError(
      absl::StrCat(number, " is not the number of an element type (xla.PrimitiveType)"));
}

}  // namespace

callbridge_error* callbridge_ffi_attributes_create(callbridge_ffi_attributes** attributes) {
  return WithoutExceptions({{"attributes", attributes}}, [&] {
    *attributes = new callbridge_ffi_attributes;
    return absl::OkStatus();
  });
}

void callbridge_ffi_attributes_destroy(callbridge_ffi_attributes* attributes) { delete attributes; }

callbridge_error* callbridge_ffi_attributes_set_scalar(callbridge_ffi_attributes* attributes,
                                                       const char* name, int32_t element_type,
                                                       const void* value) {
  return WithoutExceptions({{"attributes", attributes}, {"name", name}, {"value", value}}, [&] {
    absl::StatusOr<PrimitiveType> type = ElementType(element_type);
    if (!type.ok()) return type.status();
    attributes->Set([&](Attributes& all) { all.SetScalar(name, *type, value); });
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_attributes_set_array(callbridge_ffi_attributes* attributes,
                                                      const char* name, int32_t element_type,
                                                      const void* data, size_t count) {
  return WithoutExceptions({{"attributes", attributes}, {"name", name}}, [&] {
    absl::StatusOr<PrimitiveType> type = ElementType(element_type);
    if (!type.ok()) return type.status();
    absl::Status checked =
        CheckArray("data", data, "count", count, callbridge::AttributeElementBytes(*type));
    if (!checked.ok()) return checked;
    attributes->Set([&](Attributes& all) { all.SetArray(name, *type, data, count); });
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_attributes_set_string(callbridge_ffi_attributes* attributes,
                                                       const char* name, const char* text,
                                                       size_t text_size) {
  return WithoutExceptions({{"attributes", attributes}, {"name", name}}, [&] {
    absl::Status checked = CheckArray("text", text, "text_size", text_size);
    if (!checked.ok()) return checked;
    attributes->Set([&](Attributes& all) {
      all.SetString(name, {text_size > 0 ? text : "", text_size});
    });
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_ffi_attributes_set_dictionary(
    callbridge_ffi_attributes* attributes, const char* name,
    const callbridge_ffi_attributes* dictionary) {
  return WithoutExceptions(
      {{"attributes", attributes}, {"name", name}, {"dictionary", dictionary}}, [&] {
        Attributes value = dictionary->Get();  // first: it may be this very object
        attributes->Set([&](Attributes& all) { all.SetDictionary(name, std::move(value)); });
        return absl::OkStatus();
      });
}
