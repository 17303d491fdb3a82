#include "callbridge/loader/protobuf_layout.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "callbridge/loader/demangled_name.h"

namespace callbridge {

// ---- Names in symbols

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
  // A const member, a vtable, a type, a type's name, or any other member.
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

// ---- The layout

namespace {

// The mangled declaration of a message's members, which differs between releases of protobuf. Every
// user of a message constructs one, or merges one by the inline MergeFrom().
struct Sign {
  enum Kind { kEnd, kMiddle };

  absl::string_view text;  // in the mangled name of a member of one of XLA's messages
  Kind kind;
  absl::string_view protobuf;
};

// If code shows several, the first one counts: a newer protobuf has the constructor of an older
// one, too. Read from the code that each release has generated for its own
// google/protobuf/any.proto.
constexpr Sign kSigns[] = {
    {"C1EPN6google8protobuf5ArenaERKS0_", Sign::kEnd, "protobuf 25 or newer"},
    {"C2EPN6google8protobuf5ArenaERKS0_", Sign::kEnd, "protobuf 25 or newer"},
    {"9MergeImplERN6google8protobuf11MessageLiteE", Sign::kMiddle, "protobuf 26 or newer"},
    {"9MergeImplEPN6google8protobuf7MessageE", Sign::kMiddle, "protobuf 3.18 to 3.20"},
    {"ProtoC1Ev", Sign::kEnd, "protobuf 3.11 or older"},
    {"ProtoC2Ev", Sign::kEnd, "protobuf 3.11 or older"},
    {"C1EPN6google8protobuf5ArenaE", Sign::kEnd, "protobuf 3.12 to 3.17, or 22 or newer"},
    {"C2EPN6google8protobuf5ArenaE", Sign::kEnd, "protobuf 3.12 to 3.17, or 22 or newer"},
    // Also 3.18 to 3.20 if nothing is merged; no XLA is known to have had those.
    {"C1EPN6google8protobuf5ArenaEb", Sign::kEnd, "protobuf 3.21"},
    {"C2EPN6google8protobuf5ArenaEb", Sign::kEnd, "protobuf 3.21"},
};
constexpr size_t kFirstServed = std::size(kSigns) - 2;

// Far above the longest symbol of protobuf. In a hostile file many names share the same bytes, and
// each name is searched.
constexpr size_t kLongestSymbol = 4096;

bool Shows(absl::string_view symbol, const Sign& sign) {
  return sign.kind == Sign::kEnd ? absl::EndsWith(symbol, sign.text)
                                 : absl::StrContains(symbol, sign.text);
}

}  // namespace

bool IsXlaMessageSymbol(absl::string_view symbol) {
  return symbol.size() <= kLongestSymbol && !XlaMessageName(symbol).empty();
}

bool IsProtobufSymbol(absl::string_view symbol) {
  if (symbol.size() > kLongestSymbol) return false;
  return absl::StrContains(symbol, "6google8protobuf") || IsXlaMessageSymbol(symbol) ||
         IsXlaEnumFunction(symbol);
}

void ProtobufLayout::AddImport(absl::string_view symbol) {
  if (!IsXlaMessageSymbol(symbol)) return;
  is_used_ = true;
  const size_t known = std::min(sign_, std::size(kSigns));
  for (size_t i = 0; i < known; ++i) {
    if (!Shows(symbol, kSigns[i])) continue;
    sign_ = i;
    evidence_ = std::string(symbol);
    return;
  }
}

bool ProtobufLayout::IsServed() const { return sign_ != SIZE_MAX && sign_ >= kFirstServed; }

absl::string_view ProtobufLayout::protobuf() const {
  return sign_ == SIZE_MAX ? "an unknown protobuf" : kSigns[sign_].protobuf;
}

std::string ProtobufLayout::Refusal() const {
  const std::string why = evidence_.empty()
                              ? "it imports no constructor of a message, which would tell"
                              : absl::StrCat("it imports ", ReadableName(evidence_));
  return absl::StrCat("was compiled for ", protobuf(), " (", why,
                      "), but callbridge's XLA messages have the object layout of protobuf 3.21, "
                      "like TensorFlow 2.13's: recompile it with callbridge's headers, or with "
                      "TensorFlow 2.13's");
}

}  // namespace callbridge
