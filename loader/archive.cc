#include "callbridge/loader/archive.h"

#include <ar.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace {

constexpr absl::string_view kThinMagic = "!<thin>\n";

struct Header {
  std::string name;  // as written, without trailing spaces
  uint64_t size = 0;
};

// Takes a header off the front. Returns nothing at the end of the archive or if the header is
// damaged.
std::optional<Header> TakeHeader(absl::string_view& archive) {
  ar_hdr raw;
  if (archive.size() < sizeof(raw)) return std::nullopt;
  std::memcpy(&raw, archive.data(), sizeof(raw));
  archive.remove_prefix(sizeof(raw));
  Header header;
  const absl::string_view magic(raw.ar_fmag, sizeof(raw.ar_fmag));
  const absl::string_view digits(raw.ar_size, sizeof(raw.ar_size));
  if (magic != ARFMAG || !absl::SimpleAtoi(digits, &header.size)) return std::nullopt;
  header.name = std::string(absl::StripTrailingAsciiWhitespace({raw.ar_name, sizeof(raw.ar_name)}));
  return header;
}

std::optional<absl::string_view> TakeContents(absl::string_view& archive, uint64_t size) {
  if (size > archive.size()) return std::nullopt;
  const absl::string_view contents = archive.substr(0, size);
  archive.remove_prefix(size);
  if (size % 2 == 1) absl::ConsumePrefix(&archive, "\n");  // members begin at even offsets
  return contents;
}

// Reads "name/", or "/7": the name at offset 7 of the table of long names, up to "/\n". Returns an
// empty name if there is none. "/7:68" is the member at offset 68 of the archive of that name.
std::string MemberName(absl::string_view name, absl::string_view long_names, bool* is_nested) {
  *is_nested = false;
  if (!absl::ConsumePrefix(&name, "/")) return std::string(absl::StripSuffix(name, "/"));
  const absl::string_view digits = name.substr(0, name.find(':'));
  uint64_t offset = 0;
  if (!absl::SimpleAtoi(digits, &offset) || offset >= long_names.size()) return "";
  long_names.remove_prefix(offset);
  const size_t end = long_names.find("/\n");
  if (end == absl::string_view::npos) return "";
  *is_nested = digits.size() < name.size();
  return std::string(long_names.substr(0, end));
}

}  // namespace

bool IsArchive(absl::string_view bytes) { return absl::StartsWith(bytes, ARMAG); }

bool IsThinArchive(absl::string_view bytes) { return absl::StartsWith(bytes, kThinMagic); }

void VisitMembers(absl::string_view archive, absl::FunctionRef<void(absl::string_view)> visit) {
  if (!absl::ConsumePrefix(&archive, ARMAG)) return;
  while (const std::optional<Header> header = TakeHeader(archive)) {
    const std::optional<absl::string_view> contents = TakeContents(archive, header->size);
    if (!contents.has_value()) return;
    visit(*contents);
  }
}

absl::StatusOr<std::vector<std::string>> ThinMembers(absl::string_view archive) {
  std::vector<std::string> members;
  if (!absl::ConsumePrefix(&archive, kThinMagic)) return members;
  absl::flat_hash_set<std::string> seen;
  absl::string_view long_names;
  while (const std::optional<Header> header = TakeHeader(archive)) {
    // The archive contains its own tables.
    if (header->name == "/" || header->name == "/SYM64/" || header->name == "//") {
      const std::optional<absl::string_view> contents = TakeContents(archive, header->size);
      if (!contents.has_value()) break;
      if (header->name == "//") long_names = *contents;
      continue;
    }
    bool is_nested = false;
    std::string name = MemberName(header->name, long_names, &is_nested);
    if (name.empty()) break;
    if (is_nested) {
      return absl::InvalidArgumentError(absl::StrCat(
          "is a thin archive with members of another archive, ", absl::Utf8SafeCHexEscape(name),
          ", which is not followed; inspect that one"));
    }
    if (seen.insert(name).second) members.push_back(std::move(name));
  }
  return members;
}

}  // namespace callbridge
