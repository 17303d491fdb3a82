// Whatever a file holds, to read and rewrite it must neither crash nor run for ever, and what was
// accepted must be accepted again once it is rewritten. Nothing of it is loaded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/origin.h"
#include "callbridge/loader/private_copy.h"

namespace {

// The address of the first constructor stands for that of a target.
void ReadNames(const callbridge::PrivateCopy& copy) {
  callbridge::FunctionNames(copy.file).At(copy.constructors.init_function);
}

// Among them one of protobuf, so that a file's own functions of protobuf are kept. Its address is
// never called.
const std::vector<callbridge::OldSymbol>& Symbols() {
  static const auto& symbols = *[] {
    auto* all = new std::vector<callbridge::OldSymbol>(callbridge::OldSymbols().begin(),
                                                       callbridge::OldSymbols().end());
    all->push_back({"_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaEb", all});
    return all;
  }();
  return symbols;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::StatusOr<callbridge::ElfFile> file =
      callbridge::ElfFile::Parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!file.ok()) return 0;
  file = callbridge::WithOrigin(*std::move(file), "/folder");
  if (!file.ok()) return 0;
  absl::StatusOr<callbridge::PrivateCopy> copy =
      callbridge::MakePrivateCopy(*std::move(file), Symbols());
  if (!copy.ok()) return 0;
  ReadNames(*copy);
  file = callbridge::ElfFile::Parse(copy->file.bytes());
  if (!file.ok()) std::abort();
  if (!callbridge::MakePrivateCopy(*std::move(file), Symbols()).ok()) std::abort();
  return 0;
}
