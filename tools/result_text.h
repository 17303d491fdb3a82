// What a call returned, for people and for programs.
#ifndef CALLBRIDGE_TOOLS_RESULT_TEXT_H_
#define CALLBRIDGE_TOOLS_RESULT_TEXT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/adapters/target.h"
#include "callbridge/tools/array.h"

namespace callbridge {

// Everything about a finished call.
struct CallRecord {
  Target target;
  // How the target's ABI is known.
  std::string evidence;
  Shape result;
  // The result's leaves in preorder; arrays are row-major.
  std::vector<Array> leaves;
  // The file of each leaf; empty where it was not written.
  std::vector<std::string> files;
};

// The target's ABI in one line, then one line a leaf: its place in the result, shape, first
// elements.
std::string TextOf(const CallRecord& call);

// The same as one JSON object, without elements: those are for the files.
std::string JsonOf(const CallRecord& call);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_RESULT_TEXT_H_
