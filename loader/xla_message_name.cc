#include "callbridge/loader/xla_message_name.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace {

constexpr absl::string_view kNamespace = "3xla";

// Takes "10ShapeProto" off the text: a length and as many characters.
absl::string_view TakeName(absl::string_view* text) {
  absl::string_view rest = *text;
  size_t length = 0;
  while (!rest.empty() && absl::ascii_isdigit(rest.front()) && length <= rest.size()) {
    length = length * 10 + static_cast<size_t>(rest.front() - '0');
    rest.remove_prefix(1);
  }
  if (length == 0 || length > rest.size()) return "";
  *text = rest.substr(length);
  return rest.substr(0, length);
}

}  // namespace

absl::string_view TakeXlaName(absl::string_view* symbol) {
  for (size_t at = 0; (at = symbol->find(kNamespace, at)) != absl::string_view::npos; ++at) {
    absl::string_view rest = symbol->substr(at + kNamespace.size());
    const absl::string_view name = TakeName(&rest);
    if (name.empty()) continue;
    *symbol = rest;
    return name;
  }
  return "";
}

absl::string_view XlaMessageName(absl::string_view symbol) {
  if (!absl::ConsumePrefix(&symbol, "_Z")) return "";
  // A const member, a vtable, a type, a type's name, or else any other member.
  for (absl::string_view kind : {"NK", "TVN", "TIN", "TSN", "N"}) {
    if (absl::ConsumePrefix(&symbol, kind)) break;
  }
  if (!absl::ConsumePrefix(&symbol, kNamespace)) return "";
  absl::string_view name = TakeName(&symbol);
  // xla::_ShapeProto_default_instance_
  if (absl::ConsumeSuffix(&name, "_default_instance_")) absl::ConsumePrefix(&name, "_");
  return absl::EndsWith(name, "Proto") ? name : "";
}

bool IsXlaEnumFunction(absl::string_view symbol) {
  if (!absl::ConsumePrefix(&symbol, "_ZN") || !absl::ConsumePrefix(&symbol, kNamespace)) {
    return false;
  }
  const absl::string_view name = TakeName(&symbol);
  return absl::EndsWith(name, "_descriptor") || absl::EndsWith(name, "_IsValid");
}

}  // namespace callbridge
