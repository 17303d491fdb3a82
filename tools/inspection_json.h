// Prints an inspection as JSON.
#ifndef CALLBRIDGE_TOOLS_INSPECTION_JSON_H_
#define CALLBRIDGE_TOOLS_INSPECTION_JSON_H_

#include <string>
#include <vector>

#include "callbridge/tools/inspection_text.h"

namespace callbridge {

// Returns a list with one object for each file. Replaces bytes that are not UTF-8.
std::string JsonOf(const std::vector<InspectedFile>& files);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_INSPECTION_JSON_H_
