// The files of AOT operators: one copy of each in a process.
#ifndef CALLBRIDGE_MINDSPORE_AOT_AOT_FILE_H_
#define CALLBRIDGE_MINDSPORE_AOT_AOT_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "callbridge/loader/target_library.h"

namespace callbridge {
namespace mindspore_aot {

struct AotFile {
  std::shared_ptr<TargetLibrary> library;
  // Of the library, or of the source that it was compiled from: CompiledSource::content.
  std::string content;
  // Whether it takes AotExtra's functions with the old std::string. MindSpore is built with that
  // one, so a library that shows neither is taken for one of its.
  bool has_old_string = true;
};

// Opens the library at `path`, or the one that CompileSource() makes of a source file there. A file
// is known by its real path, or by its number on its device, and by its content, and not by the
// text `path`: as long as those are the same and something uses the library, returns that one. A
// file that was edited or built again is opened anew, and the library of before stays as it was.
// Fails as CompileSource() and TargetLibrary::Load(). Thread-safe.
absl::StatusOr<AotFile> OpenAotFile(const std::string& path, const LoadOptions& options = {});

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_AOT_FILE_H_
