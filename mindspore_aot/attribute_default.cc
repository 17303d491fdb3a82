#include "callbridge/mindspore_aot/attribute_default.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using AttributeType = OperatorInfo::AttributeType;
using Elements = AttributeType::Elements;
using Kind = AttributeType::Kind;
using List = JsonValue::List;

struct NamedType {
  const char* name;
  Kind kind;
  Elements elements;
};

constexpr NamedType kTypes[] = {
    {"", Kind::kAny, Elements::kExact},
    {"all", Kind::kAny, Elements::kExact},
    {"int", Kind::kScalar, Elements::kIntegers},
    {"float", Kind::kScalar, Elements::kFloats},
    {"bool", Kind::kScalar, Elements::kBools},
    {"str", Kind::kString, Elements::kExact},
    {"listInt", Kind::kArray, Elements::kIntegers},
    {"listFloat", Kind::kArray, Elements::kFloats},
    {"listBool", Kind::kArray, Elements::kBools},
};

// Calls visit(Type{}) with the C++ type of an element of a default; returns false for others.
template <typename Visit>
bool VisitElement(PrimitiveType type, Visit visit) {
  switch (type) {
    case PrimitiveType::kPred:
      return visit(bool{});
    case PrimitiveType::kS8:
      return visit(int8_t{});
    case PrimitiveType::kS16:
      return visit(int16_t{});
    case PrimitiveType::kS32:
      return visit(int32_t{});
    case PrimitiveType::kS64:
      return visit(int64_t{});
    case PrimitiveType::kU8:
      return visit(uint8_t{});
    case PrimitiveType::kU16:
      return visit(uint16_t{});
    case PrimitiveType::kU32:
      return visit(uint32_t{});
    case PrimitiveType::kU64:
      return visit(uint64_t{});
    case PrimitiveType::kF32:
      return visit(float{});
    case PrimitiveType::kF64:
      return visit(double{});
    default:
      return false;
  }
}

bool IsFloat(PrimitiveType type) {
  return type == PrimitiveType::kF32 || type == PrimitiveType::kF64;
}

// Appends a number or a bool as an element; returns false if it is not one of that type.
bool AppendElement(const JsonValue& value, PrimitiveType type, std::string* bytes) {
  return VisitElement(type, [&](auto zero) {
    using Element = decltype(zero);
    Element element;
    if constexpr (std::is_same_v<Element, bool>) {
      const bool* found = value.get<bool>();
      if (found == nullptr) return false;
      element = *found;
    } else if constexpr (std::is_floating_point_v<Element>) {
      const auto* integer = value.get<int64_t>();
      const auto* number = value.get<double>();
      if (integer == nullptr && number == nullptr) return false;
      const double wide = number != nullptr ? *number : static_cast<double>(*integer);
      constexpr double kMax = static_cast<double>(std::numeric_limits<Element>::max());
      if (std::isfinite(wide) && std::abs(wide) > kMax) return false;
      element = static_cast<Element>(wide);
    } else {
      const auto* integer = value.get<int64_t>();
      if (integer == nullptr) return false;
      element = static_cast<Element>(*integer);
      // Of an unsigned type, 2^64 - 1 compares equal to -1.
      if (static_cast<int64_t>(element) != *integer) return false;
      if (std::is_unsigned_v<Element> && *integer < 0) return false;
    }
    bytes->append(reinterpret_cast<const char*>(&element), sizeof(element));
    return true;
  });
}

// The element type that numbers or bools have by themselves; kInvalid if they have none.
PrimitiveType NaturalType(const List& values) {
  PrimitiveType type = PrimitiveType::kInvalid;
  for (const JsonValue& value : values) {
    const PrimitiveType own = value.get<bool>() != nullptr      ? PrimitiveType::kPred
                              : value.get<int64_t>() != nullptr ? PrimitiveType::kS64
                              : value.get<double>() != nullptr  ? PrimitiveType::kF64
                                                                : PrimitiveType::kInvalid;
    const bool is_bool = own == PrimitiveType::kPred;
    const bool are_bools = type == PrimitiveType::kPred;
    if (own == PrimitiveType::kInvalid) return own;
    if (type != PrimitiveType::kInvalid && is_bool != are_bools) return PrimitiveType::kInvalid;
    if (!IsFloat(type)) type = own;
  }
  return values.empty() ? PrimitiveType::kS64 : type;
}

// The element type of a default of that type, whose numbers or bools are `values`.
PrimitiveType DefaultType(const AttributeType& type, const List& values) {
  if (type.kind == Kind::kAny) return NaturalType(values);
  switch (type.elements) {
    case Elements::kBools:
      return PrimitiveType::kPred;
    case Elements::kIntegers:
      return PrimitiveType::kS64;
    case Elements::kFloats:
      return PrimitiveType::kF64;
    case Elements::kExact:
      return type.exact;
  }
  return PrimitiveType::kInvalid;
}

bool AppendElements(const List& values, PrimitiveType type, std::string* bytes) {
  for (const JsonValue& value : values) {
    if (!AppendElement(value, type, bytes)) return false;
  }
  return true;
}

bool SetScalar(const std::string& name, const JsonValue& value, const AttributeType& type,
               Attributes* defaults) {
  const PrimitiveType element = DefaultType(type, {value});
  std::string bytes;
  if (!AppendElement(value, element, &bytes)) return false;
  defaults->SetScalar(name, element, bytes.data());
  return true;
}

bool SetArray(const std::string& name, const List& values, const AttributeType& type,
              Attributes* defaults) {
  const PrimitiveType element = DefaultType(type, values);
  std::string bytes;
  if (element == PrimitiveType::kInvalid || !AppendElements(values, element, &bytes)) return false;
  defaults->SetArray(name, element, bytes.data(), values.size());
  return true;
}

// Sets a dictionary "0", "1", ... of arrays of one type.
bool SetLists(const std::string& name, const List& lists, Attributes* defaults) {
  List all;
  for (const JsonValue& list : lists) {
    const List* values = list.get<List>();
    if (values == nullptr) return false;
    all.insert(all.end(), values->begin(), values->end());
  }
  const PrimitiveType type = NaturalType(all);
  Attributes dictionary;
  for (size_t i = 0; i < lists.size(); ++i) {
    const List& values = *lists[i].get<List>();
    std::string bytes;
    if (!AppendElements(values, type, &bytes)) return false;
    dictionary.SetArray(absl::StrCat(i), type, bytes.data(), values.size());
  }
  defaults->SetDictionary(name, std::move(dictionary));
  return true;
}

bool Set(const std::string& name, const JsonValue& value, const AttributeType& type,
         Attributes* defaults) {
  const bool is_any = type.kind == Kind::kAny;
  if (const auto* text = value.get<std::string>()) {
    if (!is_any && type.kind != Kind::kString) return false;
    defaults->SetString(name, *text);
    return true;
  }
  if (const auto* list = value.get<List>()) {
    if (is_any && !list->empty() && list->front().get<List>() != nullptr) {
      return SetLists(name, *list, defaults);
    }
    return (is_any || type.kind == Kind::kArray) && SetArray(name, *list, type, defaults);
  }
  return (is_any || type.kind == Kind::kScalar) && SetScalar(name, value, type, defaults);
}

absl::StatusOr<JsonValue> ParseScalarText(absl::string_view text, PrimitiveType element) {
  JsonValue value;
  if (element == PrimitiveType::kPred) {
    bool flag;
    if (absl::SimpleAtob(text, &flag)) value.value = flag;
  } else if (int64_t integer; absl::SimpleAtoi(text, &integer)) {
    value.value = integer;
  } else if (double number; absl::SimpleAtod(text, &number)) {
    value.value = number;
  }
  if (!value.is_null()) return value;
  return absl::InvalidArgumentError(absl::StrCat("expected ", PrimitiveTypeName(element),
                                                 ", got \"", absl::CHexEscape(text), "\""));
}

}  // namespace

absl::StatusOr<AttributeType> ParseAttributeType(absl::string_view name) {
  for (const NamedType& type : kTypes) {
    if (type.name == name) {
      return AttributeType{type.kind, type.elements, PrimitiveType::kInvalid, std::string(name)};
    }
  }
  if (name == "listStr") {
    return absl::InvalidArgumentError(
        "is \"listStr\", but a custom call has no attributes that are lists of strings; declare a "
        "string");
  }
  absl::string_view element = name;
  const Kind kind = absl::ConsumeSuffix(&element, "[]") ? Kind::kArray : Kind::kScalar;
  const absl::StatusOr<PrimitiveType> exact = ParsePrimitiveType(element);
  if (exact.ok() && VisitElement(*exact, [](auto) { return true; })) {
    return AttributeType{kind, Elements::kExact, *exact, std::string(name)};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "is \"", absl::CHexEscape(name),
      "\": expected int, float, bool, str, listInt, listFloat, listBool, all, or XLA's name of a "
      "type of up to 64 bits, such as f32 or s32[]"));
}

absl::Status SetDefault(const std::string& name, const JsonValue& value, const AttributeType& type,
                        Attributes* defaults) {
  if (Set(name, value, type, defaults)) return absl::OkStatus();
  if (type.kind == Kind::kAny) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", value.KindText(),
                     ": expected a bool, a number, a string, a list of bools or of numbers, or a "
                     "list of lists of numbers"));
  }
  return absl::InvalidArgumentError(absl::StrCat("is ", value.KindText(), ", which is no ",
                                                 type.name, ", or holds a value that is none"));
}

absl::StatusOr<JsonValue> ParseDefaultText(absl::string_view text, const AttributeType& type) {
  JsonValue value;
  if (type.kind == Kind::kAny) {
    return absl::InvalidArgumentError(
        "is a text, which is read by the attribute's type: declare one, or use \"value\"");
  }
  if (type.kind == Kind::kString) {
    value.value = std::string(text);
    return value;
  }
  const PrimitiveType element = DefaultType(type, {});
  if (type.kind == Kind::kScalar) return ParseScalarText(text, element);
  List list;
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    absl::StatusOr<JsonValue> item = ParseScalarText(absl::StripAsciiWhitespace(part), element);
    if (!item.ok()) return item.status();
    list.push_back(*std::move(item));
  }
  value.value = std::move(list);
  return value;
}

}  // namespace mindspore_aot
}  // namespace callbridge
