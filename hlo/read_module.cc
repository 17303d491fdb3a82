#include "callbridge/hlo/read_module.h"

#include <climits>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/module_check.h"

namespace callbridge::hlo {
namespace {

using xla::HloModuleProto;

absl::StatusOr<HloModuleProto> Checked(HloModuleProto module) {
  if (absl::Status status = CheckModule(module); !status.ok()) return status;
  return module;
}

// The letter "H" and a blank could begin a message as well, so it takes the whole word.
bool IsText(absl::string_view bytes) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(bytes);
  return absl::StartsWith(text, "HloModule") || absl::StartsWith(text, "//") ||
         absl::StartsWith(text, "/*");
}

}  // namespace

absl::StatusOr<HloModuleProto> ReadModule(absl::string_view bytes) {
  if (IsText(bytes)) return ParseHloText(bytes);
  if (bytes.size() > INT_MAX) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a module of less than 2 GiB, got ", bytes.size(), " bytes"));
  }
  const int size = static_cast<int>(bytes.size());
  // A message of the one kind mostly parses as the other too, with nothing that makes sense in it.
  HloModuleProto module;
  absl::StatusOr<HloModuleProto> as_module =
      module.ParseFromArray(bytes.data(), size)
          ? Checked(std::move(module))
          : absl::InvalidArgumentError("the bytes are no message of this kind");
  if (as_module.ok()) return as_module;
  xla::HloProto dump;
  absl::StatusOr<HloModuleProto> as_dump =
      !dump.ParseFromArray(bytes.data(), size)
          ? absl::InvalidArgumentError("the bytes are no message of this kind")
      : dump.has_hlo_module() ? Checked(std::move(*dump.mutable_hlo_module()))
                              : absl::InvalidArgumentError("it has no module");
  if (as_dump.ok()) return as_dump;
  // What is one of the two in all but something that is not supported here is told as just that.
  for (const absl::StatusOr<HloModuleProto>* read : {&as_module, &as_dump}) {
    if (absl::IsUnimplemented(read->status())) return read->status();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected a serialized HloModuleProto or HloProto, or HLO text, which begins "
                   "with \"HloModule\". As HloModuleProto: ",
                   as_module.status().message(), ". As HloProto: ", as_dump.status().message()));
}

}  // namespace callbridge::hlo
