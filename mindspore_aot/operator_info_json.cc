#include "callbridge/mindspore_aot/operator_info_json.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/mindspore_aot/attribute_default.h"
#include "callbridge/mindspore_aot/dtype_name.h"
#include "callbridge/mindspore_aot/json_value.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

using Form = OperatorInfo::Form;
using List = JsonValue::List;
using Presence = OperatorInfo::Presence;

absl::Status Wrong(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("operator information: ", where, " ", what));
}

absl::Status WrongKind(absl::string_view where, absl::string_view expected,
                       const JsonValue* found) {
  return Wrong(where, absl::StrCat("is ", found == nullptr ? "missing" : found->Text(),
                                   ": expected ", expected));
}

// Writes the text of a member, or "" if it is missing.
absl::Status ReadText(const JsonValue& object, absl::string_view where, const char* name,
                      std::string* text) {
  const JsonValue* member = object.Find(name);
  if (member == nullptr) return absl::OkStatus();
  const std::string path = absl::StrCat(where, name);
  const auto* found = member->get<std::string>();
  if (found == nullptr) return WrongKind(path, "a string", member);
  *text = *found;
  return absl::StrContains(*text, '\0') ? Wrong(path, "has a NUL") : absl::OkStatus();
}

// Returns the elements of a member that must be a list.
absl::StatusOr<const List*> ReadList(const JsonValue& object, const char* name) {
  const JsonValue* member = object.Find(name);
  const List* list = member != nullptr ? member->get<List>() : nullptr;
  if (list == nullptr) return WrongKind(name, "a list", member);
  return list;
}

// ---- target -------------------------------------------------------------------------------------

absl::Status ReadTarget(const JsonValue& json, OperatorInfo* info) {
  absl::Status read = ReadText(json, "", "target", &info->device);
  if (!read.ok()) return read;
  if (info->device == "CPU") {
    info->platforms = {Platform::kHost};
  } else if (info->device == "GPU") {
    info->platforms = {Platform::kCuda, Platform::kRocm};
  } else if (info->device != "Ascend") {
    return Wrong("target", absl::StrCat("is \"", absl::CHexEscape(info->device),
                                        "\": expected CPU, GPU or Ascend, as .target(\"CPU\") "
                                        "declares it"));
  }
  return absl::OkStatus();
}

// ---- inputs and outputs -------------------------------------------------------------------------

absl::Status ReadPresence(const std::string& text, const std::string& where, Presence* presence) {
  if (text.empty() || text == "required") return absl::OkStatus();
  if (text == "dynamic") {
    *presence = Presence::kDynamic;
  } else if (text == "optional") {
    *presence = Presence::kOptional;
  } else {
    return Wrong(absl::StrCat(where, "paramType"),
                 absl::StrCat("is \"", absl::CHexEscape(text),
                              "\": expected required, dynamic or optional"));
  }
  return absl::OkStatus();
}

absl::Status ReadValues(const JsonValue& json, const char* name,
                        std::vector<OperatorInfo::Value>* values) {
  absl::StatusOr<const List*> list = ReadList(json, name);
  if (!list.ok()) return list.status();
  for (size_t i = 0; i < (*list)->size(); ++i) {
    const JsonValue& item = (**list)[i];
    const std::string where = absl::StrCat(name, "[", i, "]");
    if (item.get<JsonValue::Object>() == nullptr) return WrongKind(where, "an object", &item);
    OperatorInfo::Value value;
    std::string presence;
    absl::Status read = ReadText(item, where + ".", "name", &value.name);
    if (read.ok()) read = ReadText(item, where + ".", "paramType", &presence);
    if (read.ok()) read = ReadPresence(presence, where + ".", &value.presence);
    if (!read.ok()) return read;
    values->push_back(std::move(value));
  }
  return absl::OkStatus();
}

// ---- dtype_format -------------------------------------------------------------------------------

absl::Status ReadType(const std::string& name, const std::string& where, PrimitiveType* type) {
  if (name.empty()) return absl::OkStatus();
  for (int number = 0; number <= static_cast<int>(PrimitiveType::kF8E8M0FNU); ++number) {
    const auto candidate = static_cast<PrimitiveType>(number);
    const char* dtype = DtypeName(candidate);
    if (dtype == nullptr || name != dtype) continue;
    *type = candidate;
    return absl::OkStatus();
  }
  const absl::StatusOr<PrimitiveType> of_xla = ParsePrimitiveType(name);
  if (!of_xla.ok() || !IsArrayElement(*of_xla)) {
    return Wrong(where, absl::StrCat("has the type \"", absl::CHexEscape(name),
                                     "\": expected \"\", or a name of MindSpore's, such as "
                                     "float32, or of XLA's, such as f8e4m3fn"));
  }
  *type = *of_xla;
  return absl::OkStatus();
}

// The dimensions of a format such as "NC1HWC0", where each begins with a capital.
size_t CountDimensions(absl::string_view format) {
  return static_cast<size_t>(std::count_if(format.begin(), format.end(), [](char letter) {
    return absl::ascii_isupper(static_cast<unsigned char>(letter));
  }));
}

absl::Status ReadFormat(const std::string& format, const std::string& where, Form* form) {
  constexpr const char* kOrders[] = {"NCHW",  "NHWC",    "HWCN",     "NCDHW",    "NDHWC",
                                     "DHWCN", "NC1HWC0", "NDC1HWC0", "C1HWNCoC0"};
  constexpr const char* kBlocks[] = {"FRACTAL_Z",       "FRACTAL_NZ",     "FRACTAL_Z_3D",
                                     "FRACTAL_ZN_LSTM", "FRACTAL_ZN_RNN", "ND_RNN_BIAS"};
  form->format = format;
  if (format.empty()) return absl::OkStatus();
  form->is_row_major = true;
  if (format == "DefaultFormat") return absl::OkStatus();
  if (format == "ChannelLast") {
    form->min_rank = 1;
    return absl::OkStatus();
  }
  for (const char* order : kOrders) {
    if (format != order) continue;
    form->min_rank = form->max_rank = CountDimensions(format);
    return absl::OkStatus();
  }
  for (const char* blocks : kBlocks) {
    if (format != blocks) continue;
    return Wrong(where, absl::StrCat("has the format ", format,
                                     ", which is of padded blocks in the memory of Ascend devices; "
                                     "arrays of XLA's are dense: declare DefaultFormat"));
  }
  return Wrong(where, absl::StrCat("has the format \"", absl::CHexEscape(format),
                                   "\": expected \"\", DefaultFormat, NCHW or another of "
                                   "MindSpore's DataType"));
}

absl::Status ReadObjectType(const std::string& name, const std::string& where, Form* form) {
  if (name.empty() || name == "tensor") return absl::OkStatus();
  form->is_tuple = name == "tuple" || name == "list";
  if (form->is_tuple) return absl::OkStatus();
  return Wrong(where, absl::StrCat("is of \"", absl::CHexEscape(name),
                                   "\": expected tensor, tuple or list"));
}

absl::Status ReadForm(const JsonValue& json, const std::string& where, Form* form) {
  const List* parts = json.get<List>();
  if (parts == nullptr || (parts->size() != 2 && parts->size() != 3)) {
    return WrongKind(where, "a list of a type, a format and maybe tuple or list", &json);
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < parts->size(); ++i) {
    const auto* text = (*parts)[i].get<std::string>();
    if (text == nullptr) {
      return WrongKind(absl::StrCat(where, "[", i, "]"), "a string", &(*parts)[i]);
    }
    texts.push_back(*text);
  }
  absl::Status read = ReadType(texts[0], where, &form->type);
  if (read.ok()) read = ReadFormat(texts[1], where, form);
  if (read.ok() && texts.size() == 3) read = ReadObjectType(texts[2], where, form);
  return read;
}

absl::Status ReadCombinations(const JsonValue& json, OperatorInfo* info) {
  absl::StatusOr<const List*> list = ReadList(json, "dtype_format");
  if (!list.ok()) return list.status();
  if ((*list)->empty()) return Wrong("dtype_format", "is empty: expected at least one combination");
  for (size_t i = 0; i < (*list)->size(); ++i) {
    const std::string where = absl::StrCat("dtype_format[", i, "]");
    const List* entries = (**list)[i].get<List>();
    if (entries == nullptr) return WrongKind(where, "a list", &(**list)[i]);
    std::vector<Form> forms(entries->size());
    for (size_t j = 0; j < forms.size(); ++j) {
      absl::Status read = ReadForm((*entries)[j], absl::StrCat(where, "[", j, "]"), &forms[j]);
      if (!read.ok()) return read;
    }
    info->combinations.push_back(std::move(forms));
  }
  return absl::OkStatus();
}

// ---- attr ---------------------------------------------------------------------------------------

absl::Status ReadDefault(const JsonValue& json, const std::string& where,
                         const OperatorInfo::Attribute& attribute, Attributes* defaults) {
  const JsonValue* value = json.Find("value");
  const JsonValue* text = value == nullptr ? json.Find("defaultValue") : nullptr;
  if (value == nullptr && text == nullptr) return absl::OkStatus();
  const std::string path = absl::StrCat(where, value != nullptr ? "value" : "defaultValue",
                                        " of \"", attribute.name, "\"");
  JsonValue parsed;
  if (text != nullptr) {
    const auto* found = text->get<std::string>();
    if (found == nullptr) return WrongKind(path, "a string", text);
    absl::StatusOr<JsonValue> read = ParseDefaultText(*found, attribute.type);
    if (!read.ok()) return Wrong(path, read.status().message());
    parsed = *std::move(read);
    value = &parsed;
  }
  const absl::Status set = SetDefault(attribute.name, *value, attribute.type, defaults);
  return set.ok() ? set : Wrong(path, set.message());
}

absl::Status ReadAttribute(const JsonValue& json, const std::string& where, OperatorInfo* info) {
  OperatorInfo::Attribute attribute;
  std::string presence;
  std::string type;
  absl::Status read = ReadText(json, where, "name", &attribute.name);
  if (read.ok()) read = ReadText(json, where, "paramType", &presence);
  if (read.ok()) read = ReadText(json, where, "type", &type);
  if (!read.ok()) return read;
  if (attribute.name.empty()) return Wrong(where + "name", "is missing or empty");
  attribute.is_required = presence == "required";
  if (!attribute.is_required && !presence.empty() && presence != "optional") {
    return Wrong(where + "paramType", absl::StrCat("is \"", absl::CHexEscape(presence),
                                                   "\": expected required or optional"));
  }
  absl::StatusOr<OperatorInfo::AttributeType> known = ParseAttributeType(type);
  if (!known.ok()) return Wrong(where + "type", known.status().message());
  attribute.type = *std::move(known);
  read = ReadDefault(json, where, attribute, &info->defaults);
  info->attributes.push_back(std::move(attribute));
  return read;
}

absl::Status ReadAttributes(const JsonValue& json, OperatorInfo* info) {
  if (json.Find("attr") == nullptr) return absl::OkStatus();
  absl::StatusOr<const List*> list = ReadList(json, "attr");
  if (!list.ok()) return list.status();
  for (size_t i = 0; i < (*list)->size(); ++i) {
    const JsonValue& item = (**list)[i];
    const std::string where = absl::StrCat("attr[", i, "]");
    if (item.get<JsonValue::Object>() == nullptr) return WrongKind(where, "an object", &item);
    absl::Status read = ReadAttribute(item, where + ".", info);
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OperatorInfo> ParseOperatorInfo(absl::string_view json) {
  absl::StatusOr<JsonValue> parsed = ParseJson(json);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("operator information: ", parsed.status().message()));
  }
  if (parsed->get<JsonValue::Object>() == nullptr)
    return WrongKind("the whole text", "an object", &*parsed);
  OperatorInfo info;
  absl::Status read = ReadText(*parsed, "", "op_name", &info.name);
  if (read.ok()) read = ReadTarget(*parsed, &info);
  if (read.ok()) read = ReadValues(*parsed, "inputs", &info.operands);
  if (read.ok()) read = ReadValues(*parsed, "outputs", &info.results);
  if (read.ok()) read = ReadCombinations(*parsed, &info);
  if (read.ok()) read = ReadAttributes(*parsed, &info);
  if (!read.ok()) return read;
  const absl::Status whole = CheckOperatorInfo(info);
  if (!whole.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("operator information: ", whole.message()));
  }
  return info;
}

}  // namespace mindspore_aot
}  // namespace callbridge
