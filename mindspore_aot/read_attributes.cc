#include "callbridge/mindspore_aot/read_attributes.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using Integers = std::vector<int64_t>;
using Floats = std::vector<float>;

absl::string_view View(const XLA_FFI_ByteSpan& span) { return {span.ptr, span.len}; }
Text ToText(absl::string_view text) { return Text(text.begin(), text.end()); }

// Calls visit(Type{}) with the C++ type of an integer or float; returns false for other types.
template <typename Visit>
bool VisitNumber(XLA_FFI_DataType dtype, Visit visit) {
  switch (static_cast<int>(dtype)) {
    case static_cast<int>(PrimitiveType::kS8):
      return visit(int8_t{});
    case static_cast<int>(PrimitiveType::kS16):
      return visit(int16_t{});
    case static_cast<int>(PrimitiveType::kS32):
      return visit(int32_t{});
    case static_cast<int>(PrimitiveType::kS64):
      return visit(int64_t{});
    case static_cast<int>(PrimitiveType::kU8):
      return visit(uint8_t{});
    case static_cast<int>(PrimitiveType::kU16):
      return visit(uint16_t{});
    case static_cast<int>(PrimitiveType::kU32):
      return visit(uint32_t{});
    case static_cast<int>(PrimitiveType::kU64):
      return visit(uint64_t{});
    case static_cast<int>(PrimitiveType::kF32):
      return visit(float{});
    case static_cast<int>(PrimitiveType::kF64):
      return visit(double{});
    default:
      return false;
  }
}

// Reads `size` elements as a list of int64_t or float. Returns nullopt for other element types, and
// for integers that are no int64_t.
std::optional<AttributeValue> ReadList(XLA_FFI_DataType dtype, const void* data, size_t size) {
  std::optional<AttributeValue> list;
  VisitNumber(dtype, [&](auto zero) {
    using Element = decltype(zero);
    std::conditional_t<std::is_floating_point_v<Element>, Floats, Integers> elements;
    elements.reserve(size);
    for (size_t i = 0; i < size; ++i) {
      Element element;
      memcpy(&element, static_cast<const char*>(data) + i * sizeof(Element), sizeof(Element));
      if constexpr (std::is_same_v<Element, uint64_t>) {
        if (element > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return false;
      }
      elements.push_back(static_cast<typename decltype(elements)::value_type>(element));
    }
    list = std::move(elements);
    return true;
  });
  return list;
}

std::optional<AttributeValue> ReadScalar(const XLA_FFI_Scalar& scalar) {
  if (scalar.dtype == XLA_FFI_DataType_PRED) {
    return AttributeValue(*static_cast<const uint8_t*>(scalar.value) != 0);
  }
  std::optional<AttributeValue> list = ReadList(scalar.dtype, scalar.value, 1);
  if (!list.has_value()) return std::nullopt;
  if (const auto* integers = std::get_if<Integers>(&*list)) return AttributeValue((*integers)[0]);
  return AttributeValue(std::get<Floats>(*list)[0]);
}

// A dictionary "0", "1", ... of lists, in any order.
template <typename List>
std::optional<AttributeValue> AsLists(std::vector<AttributeValue> lists) {
  std::vector<List> all;
  for (AttributeValue& list : lists) {
    if (!std::holds_alternative<List>(list)) return std::nullopt;
    all.push_back(std::get<List>(std::move(list)));
  }
  return AttributeValue(std::move(all));
}

std::optional<AttributeValue> ReadLists(const XLA_FFI_Attrs& attrs) {
  const auto size = static_cast<size_t>(attrs.size);
  std::vector<AttributeValue> lists(size);
  std::vector<bool> has(size);
  for (size_t i = 0; i < size; ++i) {
    uint64_t at;
    if (!absl::SimpleAtoi(View(*attrs.names[i]), &at) || at >= size || has[at]) return std::nullopt;
    if (attrs.types[i] != XLA_FFI_AttrType_ARRAY) return std::nullopt;
    const auto& array = *static_cast<const XLA_FFI_Array*>(attrs.attrs[i]);
    std::optional<AttributeValue> list = ReadList(array.dtype, array.data, array.size);
    if (!list.has_value()) return std::nullopt;
    lists[at] = *std::move(list);
    has[at] = true;
  }
  const bool are_floats = size > 0 && std::holds_alternative<Floats>(lists[0]);
  return are_floats ? AsLists<Floats>(std::move(lists)) : AsLists<Integers>(std::move(lists));
}

std::optional<AttributeValue> ReadValue(XLA_FFI_AttrType type, const void* attr) {
  switch (type) {
    case XLA_FFI_AttrType_SCALAR:
      return ReadScalar(*static_cast<const XLA_FFI_Scalar*>(attr));
    case XLA_FFI_AttrType_STRING:
      return AttributeValue(ToText(View(*static_cast<const XLA_FFI_ByteSpan*>(attr))));
    case XLA_FFI_AttrType_ARRAY: {
      const auto& array = *static_cast<const XLA_FFI_Array*>(attr);
      return ReadList(array.dtype, array.data, array.size);
    }
    case XLA_FFI_AttrType_DICTIONARY:
      return ReadLists(*static_cast<const XLA_FFI_Attrs*>(attr));
    default:
      return std::nullopt;
  }
}

}  // namespace

absl::StatusOr<AttributeValues> ReadAttributes(const XLA_FFI_Attrs& attrs) {
  AttributeValues values;
  for (int64_t i = 0; i < attrs.size; ++i) {
    const absl::string_view name = View(*attrs.names[i]);
    std::optional<AttributeValue> value = ReadValue(attrs.types[i], attrs.attrs[i]);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "attribute \"", name,
          "\": an AOT operator takes a bool, an integer of at most 64 bits with a sign, a float, a "
          "string, an array of integers or of floats, or a dictionary of such arrays by the names "
          "0, 1 and so on"));
    }
    values.emplace_back(ToText(name), *std::move(value));
  }
  return values;
}

}  // namespace mindspore_aot
}  // namespace callbridge
