// What an inspection found, for programs.
#ifndef CALLBRIDGE_TOOLS_INSPECTION_JSON_H_
#define CALLBRIDGE_TOOLS_INSPECTION_JSON_H_

#include <string>
#include <vector>

#include "callbridge/tools/inspection_text.h"

namespace callbridge {

// A list with one object for each file. Bytes that are no UTF-8 are replaced.
std::string JsonOf(const std::vector<InspectedFile>& files);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_INSPECTION_JSON_H_
