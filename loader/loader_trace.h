// ld.so's trace mode: it maps a file and what that needs, says what it finds, and runs nothing.
#ifndef CALLBRIDGE_LOADER_LOADER_TRACE_H_
#define CALLBRIDGE_LOADER_LOADER_TRACE_H_

#include <string>
#include <utility>
#include <vector>

#include "callbridge/loader/child_process.h"

namespace callbridge {

// Where every program for x86-64 Linux with glibc finds it: the path is part of the ABI.
inline constexpr char kLoaderPath[] = "/lib64/ld-linux-x86-64.so.2";

// `path` as ld.so takes it: a bare name is searched. `variables` as in ChildProcess, beside the one
// that asks for the mode.
inline ChildProcess LoaderTrace(const std::string& path, std::vector<std::string> variables) {
  ChildProcess loader;
  loader.command = {kLoaderPath, path};
  loader.variables = std::move(variables);
  loader.variables.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  return loader;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_LOADER_TRACE_H_
