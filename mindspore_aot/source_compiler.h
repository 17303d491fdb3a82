// SourceCompiler: g++ or nvcc, as MindSpore runs them to compile AOT operators.
#ifndef CALLBRIDGE_MINDSPORE_AOT_SOURCE_COMPILER_H_
#define CALLBRIDGE_MINDSPORE_AOT_SOURCE_COMPILER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace callbridge {
namespace mindspore_aot {

// Returns the value of an environment variable, or `otherwise` if it is not set, or empty.
std::string Variable(const char* name, const char* otherwise = "");

class SourceCompiler {
 public:
  // `source` is the file as its user names it, for messages; its suffix says which compiler it
  // needs. Each run may take as long as `limit`.
  SourceCompiler(std::string source, absl::Duration limit);

  bool IsForCuda() const { return name_ == "nvcc"; }

  // Runs the compiler and returns what it prints. Returns FAILED_PRECONDITION if it is not
  // installed, INVALID_ARGUMENT with its output if it fails, and DEADLINE_EXCEEDED after the limit.
  absl::StatusOr<std::string> Run(const std::vector<std::string>& arguments) const;

  // Returns the options that change the code. Fails as Run().
  absl::StatusOr<std::vector<std::string>> Options() const;

  // Returns the options of each run of the preprocessor: nvcc compiles the code of the host and
  // that of the device apart.
  std::vector<std::vector<std::string>> Passes() const;

 private:
  absl::StatusOr<int> OldestArchitecture() const;

  const std::string source_;
  const std::string name_;
  const absl::Duration limit_;
};

// Returns MindSpore's options for headers, for a source file in `folder`: the working folder and
// that one are searched, then that of custom_aot_extra.h.
std::vector<std::string> IncludeOptions(const std::string& folder);

// Returns preprocessed `text` without what changes no code: line markers, as `# 1 "add.cc"`, and
// empty lines. Returns all of it if the code may depend on them.
std::string CodeOf(absl::string_view text);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_SOURCE_COMPILER_H_
