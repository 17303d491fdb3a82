// Whatever bytes are read as a module, reading must neither crash nor run for ever; what was read
// is written in every form, what was written is read again, and upgrading keeps it well-formed.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/stablehlo_text.h"
#include "callbridge/hlo/upgrade.h"

namespace {

using callbridge::hlo::ParseHloText;
using callbridge::hlo::PrintHloText;
using callbridge::hlo::PrintStableHloText;
using callbridge::hlo::ReadModule;
using callbridge::hlo::Upgrade;

[[noreturn]] void Fail(const char* what, const absl::Status& status, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n%s\n", what, status.ToString().c_str(), text.c_str());
  std::abort();
}

// Reads `text`, which was printed, and prints that. Nothing where a proto said what no text says,
// such as a sharding's type; but nothing that was printed is malformed.
absl::StatusOr<std::string> Reprinted(const std::string& text) {
  const absl::StatusOr<xla::HloModuleProto> module = ParseHloText(text);
  if (absl::IsUnimplemented(module.status())) return module.status();
  if (!module.ok()) Fail("what was printed is not read", module.status(), text);
  const absl::StatusOr<std::string> printed = PrintHloText(*module);
  if (!printed.ok()) Fail("what was read is not printed", printed.status(), text);
  return printed;
}

void CheckText(const xla::HloModuleProto& module) {
  const absl::StatusOr<std::string> text = PrintHloText(module);
  if (!text.ok()) return;
  // Reading fills in layouts; from then on nothing changes.
  const absl::StatusOr<std::string> second = Reprinted(*text);
  if (!second.ok()) return;
  const absl::StatusOr<std::string> third = Reprinted(*second);
  if (!third.ok()) Fail("what was read is not read again", third.status(), *second);
  if (*third != *second) Fail("texts differ", absl::OkStatus(), *second + "\n" + *third);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Names that are not UTF-8 would each be logged.
  [[maybe_unused]] static const auto silenced = google::protobuf::SetLogHandler(nullptr);
  const absl::StatusOr<xla::HloModuleProto> module =
      ReadModule({reinterpret_cast<const char*>(data), size});
  if (!module.ok()) return 0;
  CheckText(*module);
  PrintStableHloText(*module).status().IgnoreError();
  const absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(*module);
  if (!upgraded.ok()) {
    if (absl::IsResourceExhausted(upgraded.status())) return 0;
    Fail("upgrading made a bad module", upgraded.status(), module->DebugString());
  }
  CheckText(*upgraded);
  PrintStableHloText(*upgraded).status().IgnoreError();
  return 0;
}
