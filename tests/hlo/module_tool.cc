// module_tool proto|text|stablehlo|upgrade|upgrade_text: reads a module on standard input and
// writes it on standard output, for tests in Python.
#include <iostream>
#include <iterator>
#include <string>

#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/stablehlo_text.h"
#include "callbridge/hlo/upgrade.h"

namespace {

using callbridge::hlo::PrintHloText;
using callbridge::hlo::PrintStableHloText;
using callbridge::hlo::ReadModule;
using callbridge::hlo::SerializeModule;
using callbridge::hlo::Upgrade;

absl::StatusOr<std::string> Written(const std::string& form, const std::string& bytes) {
  absl::StatusOr<xla::HloModuleProto> module = ReadModule(bytes);
  if (module.ok() && (form == "upgrade" || form == "upgrade_text")) module = Upgrade(*module);
  if (!module.ok()) return module.status();
  if (form == "text" || form == "upgrade_text") return PrintHloText(*module);
  if (form == "stablehlo") return PrintStableHloText(*module);
  return SerializeModule(*module);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string bytes(std::istreambuf_iterator<char>(std::cin), {});
  const absl::StatusOr<std::string> written = Written(argc > 1 ? argv[1] : "", bytes);
  if (!written.ok()) {
    std::cerr << written.status() << "\n";
    return 1;
  }
  std::cout << *written;
  return 0;
}
