#include "callbridge/runtime/demangled_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"

namespace callbridge {

std::string Demangled(absl::string_view symbol) {
  if (!absl::StartsWith(symbol, "_Z")) return "";  // "f" would be read as the type float
  // The demangler recurses: a hostile name of some megabytes would overflow the stack.
  constexpr size_t kMaximumSize = 1 << 16;
  if (symbol.size() > kMaximumSize) return "";
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, nullptr), &std::free);
  return text == nullptr ? "" : text.get();
}

std::string ReadableName(absl::string_view symbol) {
  const std::string name = Demangled(symbol);
  if (name.empty()) return std::string(symbol);
  return absl::StrReplaceAll(
      name, {{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
              "std::string"}});
}

}  // namespace callbridge
