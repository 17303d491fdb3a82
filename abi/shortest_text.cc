#include "callbridge/abi/shortest_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "absl/strings/charconv.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace callbridge {
namespace {

// digits * 10^exponent
struct Decimal {
  std::string digits;
  int exponent;
};

template <typename Float>
bool ReadsBackAs(const Decimal& decimal, Float value) {
  const std::string text = absl::StrCat(decimal.digits, "e", decimal.exponent);
  Float read = 0;
  const absl::from_chars_result result =
      absl::from_chars(text.data(), text.data() + text.size(), read);
  return result.ec == std::errc() && read == value;
}

// Returns `value`, positive and finite, rounded to `digits` digits.
template <typename Float>
Decimal Rounded(Float value, int digits) {
  const std::string text = absl::StrFormat("%.*e", digits - 1, value);  // d.ddde[+-]dd
  const size_t e = text.find('e');
  Decimal decimal = {text.substr(0, e), std::atoi(text.c_str() + e + 1) - (digits - 1)};
  if (digits > 1) decimal.digits.erase(1, 1);
  return decimal;
}

// Returns the next larger number of as many digits.
Decimal Next(Decimal decimal) {
  size_t i = decimal.digits.size();
  while (i > 0 && decimal.digits[i - 1] == '9') decimal.digits[--i] = '0';
  if (i > 0) {
    ++decimal.digits[i - 1];
  } else {
    decimal.digits = absl::StrCat("1", absl::string_view(decimal.digits).substr(1));
    ++decimal.exponent;
  }
  return decimal;
}

template <typename Float>
Decimal ShortestDecimal(Float value) {
  constexpr int kEnoughDigits = std::numeric_limits<Float>::max_digits10;
  for (int digits = 1; digits < kEnoughDigits; ++digits) {
    Decimal nearest = Rounded(value, digits);
    if (ReadsBackAs(nearest, value)) return nearest;
    // At a power of two, numbers above it are read as it from twice as far away as numbers below
    // it.
    Decimal above = Next(nearest);
    if (ReadsBackAs(above, value)) return above;
  }
  return Rounded(value, kEnoughDigits);
}

std::string ScientificText(const Decimal& decimal) {
  const absl::string_view digits = decimal.digits;
  const int exponent = decimal.exponent + static_cast<int>(digits.size()) - 1;
  return absl::StrCat(digits.substr(0, 1), digits.size() > 1 ? "." : "", digits.substr(1),
                      absl::StrFormat("e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent)));
}

// Of whole numbers, all digits are those of `value`.
template <typename Float>
std::string FixedText(const Decimal& decimal, Float value) {
  if (decimal.exponent >= 0) return absl::StrFormat("%.0f", value);
  const absl::string_view digits = decimal.digits;
  const int whole = static_cast<int>(digits.size()) + decimal.exponent;
  if (whole > 0) return absl::StrCat(digits.substr(0, whole), ".", digits.substr(whole));
  return absl::StrCat("0.", std::string(-whole, '0'), digits);
}

template <typename Float>
std::string Search(Float value) {
  const absl::string_view sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) return absl::StrCat(sign, "nan");
  if (std::isinf(value)) return absl::StrCat(sign, "inf");
  if (value == 0) return absl::StrCat(sign, "0");
  const Float magnitude = std::fabs(value);
  const Decimal decimal = ShortestDecimal(magnitude);
  const std::string scientific = ScientificText(decimal);
  const std::string fixed = FixedText(decimal, magnitude);
  return absl::StrCat(sign, fixed.size() <= scientific.size() ? fixed : scientific);
}

#ifdef __cpp_lib_to_chars
template <typename Float>
std::string Shortest(Float value) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}
#else
template <typename Float>
std::string Shortest(Float value) {
  return Search(value);
}
#endif

}  // namespace

std::string ShortestText(float value) { return Shortest(value); }
std::string ShortestText(double value) { return Shortest(value); }
std::string SearchShortestText(float value) { return Search(value); }
std::string SearchShortestText(double value) { return Search(value); }

}  // namespace callbridge
