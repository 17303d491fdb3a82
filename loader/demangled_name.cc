#include "callbridge/loader/demangled_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "callbridge/loader/demangling_cost.h"

namespace callbridge {

std::string Demangled(absl::string_view symbol) {
  if (!absl::StartsWith(symbol, "_Z")) return "";  // "f" would be read as the type float
  if (!IsCheapToDemangle(symbol)) return "";
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, nullptr), &std::free);
  // A file may have a thousand such names.
  constexpr size_t kMaximumText = 1 << 16;
  if (text == nullptr || std::strlen(text.get()) > kMaximumText) return "";
  return text.get();
}

std::string ReadableName(absl::string_view symbol) {
  const std::string name = Demangled(symbol);
  if (name.empty()) return std::string(symbol);
  return absl::StrReplaceAll(
      name, {{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
              "std::string"}});
}

}  // namespace callbridge
