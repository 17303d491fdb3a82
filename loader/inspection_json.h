// Writes inspections as JSON, and the table of runtimes that `callbridge audit` compares them with.
#ifndef CALLBRIDGE_LOADER_INSPECTION_JSON_H_
#define CALLBRIDGE_LOADER_INSPECTION_JSON_H_

#include <string>
#include <vector>

#include "callbridge/loader/inspected_file.h"

namespace callbridge {

// Returns one object, on one line. Replaces bytes that are not UTF-8.
std::string JsonOfFile(const InspectedFile& file);

// Returns a list with one object for each file, on one line, with a line feed.
std::string JsonOf(const std::vector<InspectedFile>& files);

// Returns a list with an object for each row of typed_ffi::kRuntimeVersions, oldest first:
// `releases` of jaxlib, the `minor` number of their XLA FFI, whether it `has_metadata`, and for the
// headers of each row whether these releases register its handlers (`accepts`) and surely pass them
// the state that they made (`keeps_state`).
std::string RuntimeVersionsJson();

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_INSPECTION_JSON_H_
