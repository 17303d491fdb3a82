#include "callbridge/mindspore_aot/attribute_default.h"

#include <cmath>
#include <cstdint>
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

// Appends a number or a bool as an element; returns false if it is not one of that type.
bool AppendElement(const JsonValue& value, PrimitiveType type, std::string* bytes) {
  return VisitElement(type, [&](auto element) {
    using Element = decltype(element);
    using Limits = std::numeric_limits<Element>;
    const auto* negative = value.get<int64_t>();
    const auto* natural = value.get<uint64_t>();
    if constexpr (std::is_same_v<Element, bool>) {
      if (value.get<bool>() == nullptr) return false;
      element = *value.get<bool>();
    } else if constexpr (std::is_floating_point_v<Element>) {
      const auto* number = value.get<double>();
      if (negative == nullptr && natural == nullptr && number == nullptr) return false;
      const double wide = number != nullptr     ? *number
                          : negative != nullptr ? static_cast<double>(*negative)
                                                : static_cast<double>(*natural);
      if (std::isfinite(wide) && std::abs(wide) > static_cast<double>(Limits::max())) return false;
      element = static_cast<Element>(wide);
    } else if (negative != nullptr) {
      if (*negative < static_cast<int64_t>(Limits::min())) return false;
      element = static_cast<Element>(*negative);
    } else {
      if (natural == nullptr || *natural > static_cast<uint64_t>(Limits::max())) return false;
      element = static_cast<Element>(*natural);
    }
    bytes->append(reinterpret_cast<const char*>(&element), sizeof(element));
    return true;
  });
}

// The element type that a number or a bool has by itself; kInvalid for anything else.
PrimitiveType NaturalType(const JsonValue& value) {
  if (value.get<bool>() != nullptr) return PrimitiveType::kPred;
  if (value.get<double>() != nullptr) return PrimitiveType::kF64;
  const bool is_integer = value.get<int64_t>() != nullptr || value.get<uint64_t>() != nullptr;
  return is_integer ? PrimitiveType::kS64 : PrimitiveType::kInvalid;
}

// That of all of them together: f64 if one of the numbers is.
PrimitiveType NaturalTypeOfAll(const std::vector<const JsonValue*>& values) {
  PrimitiveType type = PrimitiveType::kInvalid;
  for (const JsonValue* value : values) {
    const PrimitiveType own = NaturalType(*value);
    const bool is_first = type == PrimitiveType::kInvalid;
    const bool mixes = (own == PrimitiveType::kPred) != (type == PrimitiveType::kPred);
    if (own == PrimitiveType::kInvalid || (!is_first && mixes)) return PrimitiveType::kInvalid;
    if (type != PrimitiveType::kF64) type = own;
  }
  return values.empty() ? PrimitiveType::kS64 : type;
}

// The element type of a default of that type, whose numbers or bools are `values`.
PrimitiveType DefaultType(const AttributeType& type, const std::vector<const JsonValue*>& values) {
  if (type.kind == Kind::kAny) return NaturalTypeOfAll(values);
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

std::vector<const JsonValue*> ElementsOf(const List& list) {
  std::vector<const JsonValue*> elements;
  for (const JsonValue& element : list) elements.push_back(&element);
  return elements;
}

bool SetScalar(const std::string& name, const JsonValue& value, const AttributeType& type,
               Attributes* defaults) {
  const PrimitiveType element = DefaultType(type, {&value});
  std::string bytes;
  if (!AppendElement(value, element, &bytes)) return false;
  defaults->SetScalar(name, element, bytes.data());
  return true;
}

// Sets an array of the elements of a list.
bool SetArray(const std::string& name, const List& list, PrimitiveType type, Attributes* defaults) {
  std::string bytes;
  for (const JsonValue& value : list) {
    if (!AppendElement(value, type, &bytes)) return false;
  }
  defaults->SetArray(name, type, bytes.data(), list.size());
  return true;
}

// Sets a dictionary "0", "1", ... of arrays of one type.
bool SetLists(const std::string& name, const List& lists, Attributes* defaults) {
  std::vector<const JsonValue*> all;
  for (const JsonValue& element : lists) {
    const List* list = element.get<List>();
    if (list == nullptr) return false;
    for (const JsonValue& value : *list) all.push_back(&value);
  }
  const PrimitiveType type = NaturalTypeOfAll(all);
  Attributes dictionary;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (!SetArray(absl::StrCat(i), *lists[i].get<List>(), type, &dictionary)) return false;
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
    return (is_any || type.kind == Kind::kArray) &&
           SetArray(name, *list, DefaultType(type, ElementsOf(*list)), defaults);
  }
  return (is_any || type.kind == Kind::kScalar) && SetScalar(name, value, type, defaults);
}

absl::StatusOr<JsonValue> ParseScalarText(absl::string_view text, PrimitiveType element) {
  if (element == PrimitiveType::kPred) {
    bool flag;
    if (absl::SimpleAtob(text, &flag)) return JsonValue{flag};
  } else if (uint64_t natural; absl::SimpleAtoi(text, &natural)) {
    return JsonValue{natural};
  } else if (int64_t integer; absl::SimpleAtoi(text, &integer)) {
    return JsonValue{integer};
  } else if (double number; absl::SimpleAtod(text, &number)) {
    return JsonValue{number};
  }
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
  constexpr char kAny[] =
      "a bool, a number (an s64 or an f64), a string, a list of bools or of numbers, or a list of "
      "lists of numbers";
  return absl::InvalidArgumentError(
      absl::StrCat("is ", value.Text(), ": expected ", type.kind == Kind::kAny ? kAny : type.name));
}

absl::StatusOr<JsonValue> ParseDefaultText(absl::string_view text, const AttributeType& type) {
  if (type.kind == Kind::kAny) {
    return absl::InvalidArgumentError(
        "is a text, which is read by the attribute's type: declare one, or use \"value\"");
  }
  if (type.kind == Kind::kString) return JsonValue{std::string(text)};
  const PrimitiveType element = DefaultType(type, {});
  if (type.kind == Kind::kScalar) return ParseScalarText(text, element);
  List list;
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    absl::StatusOr<JsonValue> item = ParseScalarText(absl::StripAsciiWhitespace(part), element);
    if (!item.ok()) return item.status();
    list.push_back(*std::move(item));
  }
  return JsonValue{std::move(list)};
}

}  // namespace mindspore_aot
}  // namespace callbridge
