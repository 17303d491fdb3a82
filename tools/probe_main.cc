// callbridge-probe [--serve] FILE ADDRESS LIBCALLBRIDGE: asks the function at ADDRESS of FILE
// whether it is a typed FFI handler, and reports the answers to the callbridge process that runs it
// (loader/typed_probe.h). LIBCALLBRIDGE is LoadedCallbridge() of that process. With --serve it asks
// more functions of FILE too (loader/probe_server.h).
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/probe_server.h"
#include "callbridge/loader/probed_file.h"
#include "callbridge/loader/typed_probe.h"

namespace {

void SayThatItCannotBeOpened(int answers, const absl::Status& error) {
  callbridge::SayLine(
      answers, callbridge::LineOf({callbridge::TypedVerdict::kUnverified,
                                   absl::StrCat(callbridge::kCannotBeOpened, error.message())}));
}

void Ask(const callbridge::ProbedFile& file, uint64_t address, int answers) {
  absl::StatusOr<void*> function = file.Function(address);
  if (!function.ok()) return SayThatItCannotBeOpened(answers, function.status());
  const bool is_whole = file.missing().empty();
  if (!is_whole) {
    callbridge::SayLine(
        answers, callbridge::LineOf({callbridge::TypedVerdict::kUnverified,
                                     absl::StrCat(callbridge::kNoAnswerWithout, file.missing())}));
  }
  alarm(callbridge::kSecondsToAnswer);
  callbridge::AskForMetadata(*function, [&](const callbridge::TypedAnswer& answer) {
    if (!is_whole && answer.verdict != callbridge::TypedVerdict::kTyped) return;
    callbridge::SayLine(answers, callbridge::LineOf(answer));
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bool serves = argc > 1 && argv[1] == callbridge::kServe;
  char** const words = argv + (serves ? 2 : 1);
  if (argv + argc != words + 3) return 2;
  callbridge::PrepareForCrash();
  callbridge::OpenLoadedCallbridge(words[2]);
  const uint64_t address = std::strtoull(words[1], nullptr, 0);
  constexpr int kAnswers = callbridge::kAnswersDescriptor;
  absl::StatusOr<callbridge::ProbedFile> file = callbridge::ProbedFile::Open(words[0], address);
  if (!file.ok()) {
    SayThatItCannotBeOpened(kAnswers, file.status());
    std::_Exit(0);
  }
  if (!file->missing().empty()) {  // counts if a constructor ends this process
    SayThatItCannotBeOpened(kAnswers, absl::FailedPreconditionError(file->missing()));
  }
  if (absl::Status constructed = file->RunConstructors(); !constructed.ok()) {
    SayThatItCannotBeOpened(kAnswers, constructed);
    std::_Exit(0);
  }
  callbridge::SayLine(kAnswers, callbridge::kOpened);
  if (serves) {
    callbridge::Serve([&](uint64_t asked, int answers) { Ask(*file, asked, answers); });
  }
  Ask(*file, address, kAnswers);
  std::_Exit(0);  // skips the file's destructors
}
