#include "callbridge/mindspore_aot/json_value.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace callbridge {
namespace mindspore_aot {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kShown = 100;  // bytes of a text in messages

// What nlohmann::json::sax_parse() calls; false ends the reading.
class Reader {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names are nlohmann's
  bool null() { return Add({}); }
  bool boolean(bool value) { return Add({value}); }
  bool number_integer(int64_t value) { return Add({value}); }
  bool number_unsigned(uint64_t value) { return Add({value}); }
  bool number_float(double value, const std::string&) { return Add({value}); }
  bool string(std::string& value) { return Add({std::move(value)}); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // no JSON text has it
  bool start_object(size_t) { return Open({JsonValue::Object()}); }
  bool start_array(size_t) { return Open({JsonValue::List()}); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    name_ = std::move(name);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 1: ...", with what it read.
    absl::string_view message = error.what();
    message.remove_prefix(message.find(']') + 2);
    error_ = std::string(message.substr(0, 2 * kShown));
    return false;
  }
  // NOLINTEND(readability-identifier-naming)

  JsonValue& value() { return value_; }
  const std::string& error() const { return error_; }

 private:
  JsonValue& Place(JsonValue value) {
    if (open_.empty()) return value_ = std::move(value);
    if (auto* list = std::get_if<JsonValue::List>(&open_.back()->value)) {
      return list->emplace_back(std::move(value));
    }
    return std::get<JsonValue::Object>(open_.back()->value)[name_] = std::move(value);
  }
  bool Add(JsonValue value) {
    Place(std::move(value));
    return true;
  }
  bool Open(JsonValue value) {
    if (open_.size() == kMaxDepth) {
      error_ = absl::StrCat("values are nested more than ", kMaxDepth, " deep");
      return false;
    }
    open_.push_back(&Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  JsonValue value_;
  std::vector<JsonValue*> open_;  // each is the last element or a member of the one before
  std::string name_;
  std::string error_;
};

std::string TextOf(std::monostate) { return "null"; }
std::string TextOf(bool value) { return value ? "true" : "false"; }
std::string TextOf(int64_t value) { return absl::StrCat(value); }
std::string TextOf(uint64_t value) { return absl::StrCat(value); }
std::string TextOf(double value) { return absl::StrCat(value); }
std::string TextOf(const std::string& value) {
  const bool is_long = value.size() > kShown;
  return absl::StrCat("\"", absl::CHexEscape(absl::string_view(value).substr(0, kShown)),
                      is_long ? "..." : "", "\"");
}
std::string TextOf(const JsonValue::List& list) { return absl::StrCat("a list of ", list.size()); }
std::string TextOf(const JsonValue::Object&) { return "an object"; }

}  // namespace

const JsonValue* JsonValue::Find(const std::string& name) const {
  const auto* object = get<Object>();
  if (object == nullptr) return nullptr;
  const auto member = object->find(name);
  return member == object->end() || member->second.is_null() ? nullptr : &member->second;
}

std::string JsonValue::Text() const {
  return std::visit([](const auto& alternative) { return TextOf(alternative); }, value);
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text) {
  // nlohmann's reader would end there.
  if (absl::StrContains(text, '\0')) return absl::InvalidArgumentError("JSON: the text has a NUL");
  Reader reader;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) {
    return absl::InvalidArgumentError(absl::StrCat("JSON: ", reader.error()));
  }
  return std::move(reader.value());
}

}  // namespace mindspore_aot
}  // namespace callbridge
