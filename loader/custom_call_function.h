// CustomCallFunction: a function that may be a custom call, by the type that is in its name.
#ifndef CALLBRIDGE_LOADER_CUSTOM_CALL_FUNCTION_H_
#define CALLBRIDGE_LOADER_CUSTOM_CALL_FUNCTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "callbridge/abi/api_version.h"
#include "callbridge/loader/elf_sections.h"

namespace callbridge {

struct CustomCallFunction {
  std::string symbol;  // as linkers know it
  std::string name;    // "do_custom_call(void*, void const**)"
  uint64_t address = 0;
  bool is_exported = false;
  // What it is where it is registered for that platform; the same type means another version on
  // each. kUnspecified if its type is not a custom call's there.
  ApiVersion on_host = ApiVersion::kUnspecified;
  ApiVersion on_gpu = ApiVersion::kUnspecified;
};

// None unless the symbol is a function's whose type is a custom call's. Parts that optimisers split
// off a function are none. Fast on names that are not.
std::optional<CustomCallFunction> AsCustomCall(const FileSymbol& symbol);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_CUSTOM_CALL_FUNCTION_H_
