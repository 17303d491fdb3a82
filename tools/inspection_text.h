// Prints an inspection as text.
#ifndef CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_
#define CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_

#include <string>
#include <vector>

#include "callbridge/loader/inspection.h"
#include "callbridge/loader/typed_probe.h"
#include "callbridge/loader/verdict.h"
#include "callbridge/tools/operator_inspection.h"

namespace callbridge {

struct ProbedFunction {
  std::string symbol;  // "function at 0x1a2b (name)" or "function at 0x1a2b" for one that has none
  TypedAnswer answer;
  bool has_symbol = true;  // others may look it up by `symbol`
};

struct InspectedFile {
  Inspection inspection;
  Verdict verdict;
  std::vector<ProbedFunction> probed;  // empty unless --probe is given
  std::vector<InspectedOperator> operators;
};

// Returns a paragraph for each file. Names from the files cannot break lines.
std::string TextOf(const std::vector<InspectedFile>& files);

// Returns "libstdc++'s new string ABI (std::__cxx11)", ...; empty if no string is seen.
std::string StringAbiText(StringAbi abi);

// Returns what the file shows of CUDA and HIP: "libcudart.so.12", "libcudart, linked statically",
// "CUDA kernels for compute_90, sm_50".
std::vector<std::string> GpuTexts(const Inspection& inspection);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_
