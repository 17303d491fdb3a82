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
#include "nlohmann/json.hpp"

namespace callbridge {
namespace mindspore_aot {
namespace {

using Form = OperatorInfo::Form;
using Json = nlohmann::json;
using Presence = OperatorInfo::Presence;

absl::Status Wrong(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("operator information: ", where, " ", what));
}

absl::Status WrongKind(absl::string_view where, absl::string_view expected, const Json* found) {
  return Wrong(where, absl::StrCat("is ", found == nullptr ? "missing" : ShownJson(*found),
                                   ": expected ", expected));
}

// Returns the member of an object; null if it is missing, or null itself.
const Json* Find(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member == object.end() || member->is_null() ? nullptr : &*member;
}

// Writes the text of a member, or "" if it is missing.
absl::Status ReadText(const Json& object, absl::string_view where, const char* name,
                      std::string* text) {
  const Json* member = Find(object, name);
  if (member == nullptr) return absl::OkStatus();
  const std::string path = absl::StrCat(where, name);
  if (!member->is_string()) return WrongKind(path, "a string", member);
  *text = member->get<std::string>();
  return absl::StrContains(*text, '\0') ? Wrong(path, "has a NUL") : absl::OkStatus();
}

// Returns a member that must be a list.
absl::StatusOr<const Json*> ReadList(const Json& object, const char* name) {
  const Json* member = Find(object, name);
  if (member == nullptr || !member->is_array()) return WrongKind(name, "a list", member);
  return member;
}

// ---- target -------------------------------------------------------------------------------------

absl::Status ReadTarget(const Json& json, OperatorInfo* info) {
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

absl::Status ReadValues(const Json& json, const char* name,
                        std::vector<OperatorInfo::Value>* values) {
  absl::StatusOr<const Json*> list = ReadList(json, name);
  if (!list.ok()) return list.status();
  for (size_t i = 0; i < (*list)->size(); ++i) {
    const Json& item = (**list)[i];
    const std::string where = absl::StrCat(name, "[", i, "]");
    if (!item.is_object()) return WrongKind(where, "an object", &item);
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

absl::Status ReadForm(const Json& json, const std::string& where, Form* form) {
  if (!json.is_array() || (json.size() != 2 && json.size() != 3)) {
    return WrongKind(where, "a list of a type, a format and maybe tuple or list", &json);
  }
  std::vector<std::string> texts;
  for (const Json& part : json) {
    if (!part.is_string()) return WrongKind(where, "a list of strings", &json);
    texts.push_back(part.get<std::string>());
  }
  absl::Status read = ReadType(texts[0], where, &form->type);
  if (read.ok()) read = ReadFormat(texts[1], where, form);
  if (read.ok() && texts.size() == 3) read = ReadObjectType(texts[2], where, form);
  return read;
}

absl::Status ReadCombinations(const Json& json, OperatorInfo* info) {
  absl::StatusOr<const Json*> list = ReadList(json, "dtype_format");
  if (!list.ok()) return list.status();
  if ((*list)->empty()) return Wrong("dtype_format", "is empty: expected at least one combination");
  for (size_t i = 0; i < (*list)->size(); ++i) {
    const std::string where = absl::StrCat("dtype_format[", i, "]");
    const Json& entries = (**list)[i];
    if (!entries.is_array()) return WrongKind(where, "a list", &entries);
    std::vector<Form> forms(entries.size());
    for (size_t j = 0; j < forms.size(); ++j) {
      absl::Status read = ReadForm(entries[j], absl::StrCat(where, "[", j, "]"), &forms[j]);
      if (!read.ok()) return read;
    }
    info->combinations.push_back(std::move(forms));
  }
  return absl::OkStatus();
}

// ---- attr ---------------------------------------------------------------------------------------

absl::Status ReadDefault(const Json& json, const std::string& where,
                         const OperatorInfo::Attribute& attribute, Attributes* defaults) {
  const Json* value = Find(json, "value");
  const Json* text = value == nullptr ? Find(json, "defaultValue") : nullptr;
  if (value == nullptr && text == nullptr) return absl::OkStatus();
  const std::string path = absl::StrCat(where, value != nullptr ? "value" : "defaultValue",
                                        " of \"", attribute.name, "\"");
  Json parsed;
  if (text != nullptr) {
    if (!text->is_string()) return WrongKind(path, "a string", text);
    absl::StatusOr<Json> read =
        ParseDefaultText(text->get_ref<const std::string&>(), attribute.type);
    if (!read.ok()) return Wrong(path, read.status().message());
    parsed = *std::move(read);
    value = &parsed;
  }
  const absl::Status set = SetDefault(attribute.name, *value, attribute.type, defaults);
  return set.ok() ? set : Wrong(path, set.message());
}

absl::Status ReadAttribute(const Json& json, const std::string& where, OperatorInfo* info) {
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

absl::Status ReadAttributes(const Json& json, OperatorInfo* info) {
  if (Find(json, "attr") == nullptr) return absl::OkStatus();
  absl::StatusOr<const Json*> list = ReadList(json, "attr");
  if (!list.ok()) return list.status();
  for (size_t i = 0; i < (*list)->size(); ++i) {
    const Json& item = (**list)[i];
    const std::string where = absl::StrCat("attr[", i, "]");
    if (!item.is_object()) return WrongKind(where, "an object", &item);
    absl::Status read = ReadAttribute(item, where + ".", info);
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

// Reads a text whose values are nested at most 32 deep.
absl::StatusOr<Json> ParseJson(absl::string_view text) {
  constexpr int kMaxDepth = 32;
  // The reader would end there.
  if (absl::StrContains(text, '\0')) return Wrong("the whole text", "has a NUL");
  bool is_too_deep = false;
  const auto check = [&](int depth, Json::parse_event_t, const Json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return !is_too_deep;
  };
  try {
    Json json = Json::parse(text.begin(), text.end(), check);
    if (!is_too_deep) return json;
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 1: ...", with what it read.
    constexpr size_t kLongest = 200;
    absl::string_view message = error.what();
    message.remove_prefix(message.find(']') + 2);
    return Wrong("JSON:", message.substr(0, kLongest));
  }
  return Wrong("the whole text", absl::StrCat("nests values more than ", kMaxDepth, " deep"));
}

}  // namespace

absl::StatusOr<OperatorInfo> ParseOperatorInfo(absl::string_view json) {
  absl::StatusOr<Json> parsed = ParseJson(json);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->is_object()) return WrongKind("the whole text", "an object", &*parsed);
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
