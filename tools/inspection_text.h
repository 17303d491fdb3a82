// Prints an inspection as text.
#ifndef CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_
#define CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_

#include <string>
#include <vector>

#include "callbridge/loader/inspected_file.h"
#include "callbridge/loader/inspection.h"

namespace callbridge {

// Returns a paragraph for each file. Names from the files cannot break lines.
std::string TextOf(const std::vector<InspectedFile>& files);

// Returns "libstdc++'s new string ABI (std::__cxx11)", ...; empty if no string is seen.
std::string StringAbiText(StringAbi abi);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_INSPECTION_TEXT_H_
