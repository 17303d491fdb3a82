#include "callbridge/tools/npy_header.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace {

constexpr size_t kMaxRank = 64;           // NPY_MAXDIMS of NumPy 2
constexpr size_t kDataAlignment = 64;     // numpy.lib.format.ARRAY_ALIGN
constexpr size_t kGrowthAxisDigits = 21;  // numpy.lib.format.GROWTH_AXIS_MAX_DIGITS

// Parses the Python literals that a header may contain; `rest_` is the text that it has not read
// yet.
class DictionaryParser {
 public:
  explicit DictionaryParser(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<NpyHeader> Parse() {
    if (!Consume("{")) return Expected("\"{\"");
    while (!Consume("}")) {
      if (absl::Status status = ParseItem(); !status.ok()) return status;
      if (!Consume(",") && !absl::StartsWith(rest_, "}")) return Expected("\",\" or \"}\"");
    }
    SkipBlanks();
    if (!rest_.empty()) return Expected("the end of the header");
    if (!has_descr_) return Missing("descr");
    if (!has_fortran_order_) return Missing("fortran_order");
    if (!has_shape_) return Missing("shape");
    return std::move(header_);
  }

 private:
  absl::Status ParseItem() {
    if (ConsumeKey("descr", &has_descr_)) return ParseDescr();
    if (ConsumeKey("fortran_order", &has_fortran_order_)) return ParseFortranOrder();
    if (ConsumeKey("shape", &has_shape_)) return ParseShape();
    return Expected("one of the keys 'descr', 'fortran_order', 'shape', each once, and \":\"");
  }

  absl::Status ParseDescr() {
    SkipBlanks();
    if (absl::StartsWith(rest_, "[") || absl::StartsWith(rest_, "(")) {
      return absl::InvalidArgumentError(
          "a structured dtype has no XLA element type: save each field as an array of its own");
    }
    const absl::string_view quote = rest_.substr(0, 1);
    if (quote != "'" && quote != "\"") return Expected("a dtype in quotes");
    const size_t end = rest_.find(quote[0], 1);
    if (end == absl::string_view::npos) return Expected("a dtype in quotes");
    header_.descr = std::string(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return absl::OkStatus();
  }

  absl::Status ParseFortranOrder() {
    header_.fortran_order = Consume("True");
    if (!header_.fortran_order && !Consume("False")) return Expected("True or False");
    return absl::OkStatus();
  }

  // Parses a Python tuple: "()", "(3,)", "(2, 3)", "(2, 3,)".
  absl::Status ParseShape() {
    if (!Consume("(")) return Expected("a tuple of dimensions");
    while (!Consume(")")) {
      if (absl::Status status = ParseDimension(); !status.ok()) return status;
      if (Consume(",")) continue;
      if (header_.dimensions.size() == 1) return Expected("\",\", as in (3,)");
      if (!absl::StartsWith(rest_, ")")) return Expected("\",\" or \")\"");
    }
    return absl::OkStatus();
  }

  absl::Status ParseDimension() {
    SkipBlanks();
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isdigit(rest_[length])) ++length;
    int64_t dimension;
    if (!absl::SimpleAtoi(rest_.substr(0, length), &dimension)) {
      return Expected("a dimension from 0 to 2^63 - 1");
    }
    rest_.remove_prefix(length);
    absl::ConsumePrefix(&rest_, "L");  // Python 2 wrote (3L,)
    header_.dimensions.push_back(dimension);
    return absl::OkStatus();
  }

  // Consumes `'key':` in quotes of either kind. Does not consume a key that was seen before.
  bool ConsumeKey(absl::string_view key, bool* seen) {
    if (*seen) return false;
    *seen = Consume(absl::StrCat("'", key, "'")) || Consume(absl::StrCat("\"", key, "\""));
    return *seen && Consume(":");
  }

  bool Consume(absl::string_view token) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, token);
  }

  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  absl::Status Expected(absl::string_view what) {
    constexpr size_t kExcerpt = 24;
    SkipBlanks();
    const std::string found = rest_.empty()
                                  ? "the end"
                                  : absl::StrCat("\"", absl::CHexEscape(rest_.substr(0, kExcerpt)),
                                                 rest_.size() > kExcerpt ? "..." : "", "\"");
    return absl::InvalidArgumentError(absl::StrCat("malformed .npy header, character ",
                                                   text_.size() - rest_.size() + 1, ": expected ",
                                                   what, ", found ", found));
  }

  static absl::Status Missing(absl::string_view key) {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed .npy header: the key '", key, "' is missing"));
  }

  const absl::string_view text_;
  absl::string_view rest_;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_fortran_order_ = false;
  bool has_shape_ = false;
};

// Returns the width of the dictionary's length, little-endian: 2 bytes in version 1.0, 4 later.
absl::StatusOr<size_t> LengthBytes(absl::string_view version) {
  const int major = static_cast<unsigned char>(version[0]);
  const int minor = static_cast<unsigned char>(version[1]);
  if (minor == 0 && major == 1) return 2;
  if (minor == 0 && (major == 2 || major == 3)) return 4;
  return absl::InvalidArgumentError(
      absl::StrCat("expected .npy version 1.0, 2.0 or 3.0, got ", major, ".", minor));
}

size_t ReadLittleEndian(absl::string_view bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string TupleText(const std::vector<int64_t>& dimensions) {
  return absl::StrCat("(", absl::StrJoin(dimensions, ", "), dimensions.size() == 1 ? "," : "", ")");
}

// Returns the room that numpy.save leaves for the dimension along which an array grows: the first
// in C order.
size_t GrowthPadding(const std::vector<int64_t>& dimensions) {
  return dimensions.empty() ? 0 : kGrowthAxisDigits - absl::StrCat(dimensions.front()).size();
}

}  // namespace

absl::StatusOr<NpyParts> SplitNpy(absl::string_view file) {
  constexpr size_t kVersionBytes = 2;
  if (!absl::StartsWith(file, kNpyMagic)) {
    return absl::InvalidArgumentError(
        absl::StrCat("not a .npy file: expected \"\\x93NUMPY\" at its beginning, found \"",
                     absl::CHexEscape(file.substr(0, kNpyMagic.size())), "\""));
  }
  absl::string_view rest = file.substr(kNpyMagic.size());
  if (rest.size() < kVersionBytes)
    return absl::InvalidArgumentError("truncated before its version");
  const absl::StatusOr<size_t> length_bytes = LengthBytes(rest);
  if (!length_bytes.ok()) return length_bytes.status();
  rest.remove_prefix(kVersionBytes);
  if (rest.size() < *length_bytes) {
    return absl::InvalidArgumentError("truncated before the length of its header");
  }
  const size_t length = ReadLittleEndian(rest.substr(0, *length_bytes));
  rest.remove_prefix(*length_bytes);
  if (length > rest.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("truncated: expected a header of ", length, " bytes, found ", rest.size()));
  }
  absl::StatusOr<NpyHeader> header = DictionaryParser(rest.substr(0, length)).Parse();
  if (!header.ok()) return header.status();
  return NpyParts{*std::move(header), rest.substr(length)};
}

absl::StatusOr<std::string> EncodeNpyHeader(absl::string_view descr,
                                            const std::vector<int64_t>& dimensions) {
  if (dimensions.size() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "NumPy arrays have at most ", kMaxRank, " dimensions, this one has ", dimensions.size()));
  }
  std::string dictionary = absl::StrCat(
      "{'descr': '", descr, "', 'fortran_order': False, 'shape': ", TupleText(dimensions), ", }");
  dictionary.append(GrowthPadding(dimensions), ' ');
  std::string bytes = absl::StrCat(kNpyMagic, absl::string_view("\1\0", 2));
  const size_t unpadded = bytes.size() + 2 + dictionary.size() + 1;  // the length, the newline
  dictionary.append(kDataAlignment - unpadded % kDataAlignment, ' ');
  dictionary.push_back('\n');
  bytes.push_back(static_cast<char>(dictionary.size() & 0xFF));
  bytes.push_back(static_cast<char>(dictionary.size() >> 8));
  return bytes + dictionary;
}

}  // namespace callbridge
