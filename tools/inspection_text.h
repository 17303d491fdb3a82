// What an inspection found, for people.
#ifndef CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_
#define CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_

#include <string>
#include <vector>

#include "callbridge/loader/inspection.h"
#include "callbridge/loader/typed_probe.h"
#include "callbridge/loader/verdict.h"

namespace callbridge {

struct ProbedFunction {
  std::string symbol;
  TypedAnswer answer;
};

struct InspectedFile {
  Inspection inspection;
  Verdict verdict;
  std::vector<ProbedFunction> probed;  // empty where nobody asked
};

// A paragraph for each file. Names from the files cannot break the lines.
std::string TextOf(const std::vector<InspectedFile>& files);

// "the new one (std::__cxx11)", ...; empty where no string is seen.
std::string StringAbiText(StringAbi abi);

// What is seen of CUDA and HIP: "libcudart.so.12", "libcudart, linked statically", "kernels for
// compute_90, sm_50". Empty where nothing is.
std::vector<std::string> GpuTexts(const Inspection& inspection);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_
