// Compiles AOT operators that ops.Custom names by a source file, "./add.cc:CustomAdd", as MindSpore
// does.
#ifndef CALLBRIDGE_MINDSPORE_AOT_AOT_SOURCE_H_
#define CALLBRIDGE_MINDSPORE_AOT_AOT_SOURCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace callbridge {
namespace mindspore_aot {

// Returns whether `path` ends in .cc, .cpp or .cu.
bool IsSource(const std::string& path);

// How long each run of a compiler may take; MindSpore's limit is 30 s.
inline constexpr absl::Duration kCompilerLimit = absl::Minutes(2);

struct CompiledSource {
  std::string library;  // its path
  // Of what was compiled: the compiler's version, the options and the preprocessed source
  // (ContentDigest()). Comments and line numbers are no content, unless the code depends on them.
  std::string content;
};

// Compiles the source file at `path`. g++ compiles .cc and .cpp, nvcc compiles .cu; both are looked
// for in PATH, nvcc then in $CUDA_HOME/bin and /usr/local/cuda/bin. The options are those that
// MindSpore documents, and the folder of custom_aot_extra.h is searched last for headers. Kernels
// are compiled for the oldest architecture from compute_70 on that this nvcc has, as machine code
// and as PTX, which newer devices compile.
//
// Runs the preprocessor each time, since any header may have changed. What is compiled is the text
// that it wrote, so that `content` is that of the library whatever happens to the files meanwhile;
// nvcc cannot do that, and compiles again if the text is another one afterwards. A library is kept,
// and returned again, as long as the content is the same: in $XDG_CACHE_HOME/callbridge/aot, or
// else in $HOME/.cache/callbridge/aot, or else in $TMPDIR/callbridge-UID/aot (/tmp if it is not
// set): in the first of these that this user can make and that no one else can write to. Of the
// folders that the variables name, XDG_CACHE_HOME alone is made, beside what is there; a relative
// one is ignored.
//
// Returns NOT_FOUND if there is no such file; PERMISSION_DENIED if it cannot be read;
// INVALID_ARGUMENT if it is no regular file, and, with the compiler's output, if it does not
// compile; DEADLINE_EXCEEDED if a run
// of the compiler takes longer than `limit`; FAILED_PRECONDITION if there is no compiler, and if no
// folder can be written to; ABORTED if a .cu file changes whenever it is compiled. Thread-safe, and
// safe beside other processes.
absl::StatusOr<CompiledSource> CompileSource(const std::string& path,
                                             absl::Duration limit = kCompilerLimit);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_AOT_SOURCE_H_
