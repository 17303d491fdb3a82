// What callbridge can do with an inspected file, and what to type next.
#ifndef CALLBRIDGE_LOADER_VERDICT_H_
#define CALLBRIDGE_LOADER_VERDICT_H_

#include <string>
#include <vector>

#include "callbridge/loader/custom_call_function.h"
#include "callbridge/loader/inspection.h"

namespace callbridge {

enum class Outcome {
  kLoads,         // and registers its targets
  kLoadsOnly,     // but registers nothing: its functions must be named
  kPythonModule,  // Python imports it, and it hands its functions to Python
  kMustBeLinked,  // object files
  kAotOperators,  // MindSpore's, which are called by PATH:FUNCTION
  kDoesNotLoad,
  kNoCustomCalls,
};

// "loads", "loads_only", "python_module", "must_be_linked", "aot_operators", "does_not_load",
// "no_custom_calls". Static storage.
absl::string_view OutcomeName(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::kNoCustomCalls;
  std::string text;               // one sentence
  std::vector<std::string> next;  // commands and Python lines, each with what it does behind "#"
};

// `typed` are symbols of the file that the probe found to be typed handlers.
Verdict Judge(const Inspection& inspection, const std::vector<std::string>& typed = {});

// "original on Host", "status_returning_unified on Host, status_returning on CUDA and ROCM".
std::string AbiText(const CustomCallFunction& function);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_VERDICT_H_
