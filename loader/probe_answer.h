// The probe's question, asked in the helper process: calls a function as XLA calls a typed handler.
#ifndef CALLBRIDGE_LOADER_PROBE_ANSWER_H_
#define CALLBRIDGE_LOADER_PROBE_ANSWER_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace callbridge {

// Where callbridge-probe writes its answers: apart from what the file itself may print.
constexpr int kAnswersDescriptor = 3;
// A function that has not returned by then is ended by SIGALRM.
constexpr int kSecondsToAnswer = 2;

// The function at `address` of the file at `path`, opened as TargetLibrary opens one, constructors
// run; of a Python module too, whose interpreter is not there. Never closed. Errors name the path.
absl::StatusOr<void*> OpenFunction(const std::string& path, uint64_t address);

// Calls the function, which may end the process in any way. Each answer is given to `say` at once,
// as a line: "typed answers the metadata query: XLA FFI 0.1", "unverified returned ...",
// "not_typed threw ..."; the last one counts.
//
// First comes a frame that claims a size of 1: every handler that was built with XLA's headers
// checks the size before anything else, and makes an error through the API table. A handler written
// by hand answers the metadata query in the frame instead. Only to one that proved to be typed goes
// a whole frame, whose answer tells the API version.
void AskForMetadata(void* function, absl::FunctionRef<void(const std::string& line)> say);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_PROBE_ANSWER_H_
