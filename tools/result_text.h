// Prints what a call returned, as text and as JSON.
#ifndef CALLBRIDGE_TOOLS_RESULT_TEXT_H_
#define CALLBRIDGE_TOOLS_RESULT_TEXT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/adapters/target.h"
#include "callbridge/tools/array.h"

namespace callbridge {

// A returned value.
struct ReturnedValue {
  Shape shape;
  // The leaves in preorder; arrays are row-major.
  std::vector<Array> leaves;
  // The file of each leaf; empty if it was not written.
  std::vector<std::string> files;
};

// A finished call.
struct CallRecord {
  Target target;
  // How the target's ABI is known.
  std::string evidence;
  ReturnedValue result;
};

// A finished run of a module.
struct ProgramRecord {
  // The module's file.
  std::string module;
  ReturnedValue result;
};

// Returns one line for the target's ABI or the module, then one for each leaf: its path in the
// result, its shape, its first elements.
std::string TextOf(const CallRecord& call);
std::string TextOf(const ProgramRecord& program);

// Returns one JSON object, without the elements, which go to files.
std::string JsonOf(const CallRecord& call);
std::string JsonOf(const ProgramRecord& program);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_RESULT_TEXT_H_
