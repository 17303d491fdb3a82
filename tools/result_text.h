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

// What was returned.
struct ReturnedValue {
  Shape shape;
  // The leaves in preorder; arrays are row-major.
  std::vector<Array> leaves;
  // The file of each leaf; empty where it was not written.
  std::vector<std::string> files;
};

// Everything about a finished call.
struct CallRecord {
  Target target;
  // How the target's ABI is known.
  std::string evidence;
  ReturnedValue result;
};

// Everything about a finished run of a module.
struct ProgramRecord {
  // The module's file.
  std::string module;
  ReturnedValue result;
};

// The target's ABI, or the module, in one line, then one line a leaf: its place in the result,
// shape, first elements.
std::string TextOf(const CallRecord& call);
std::string TextOf(const ProgramRecord& program);

// The same as one JSON object, without elements: those are for the files.
std::string JsonOf(const CallRecord& call);
std::string JsonOf(const ProgramRecord& program);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_RESULT_TEXT_H_
