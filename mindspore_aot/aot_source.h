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

// Compiles the source file at `path` and returns the path of the library. g++ compiles .cc and
// .cpp, nvcc compiles .cu; both are looked for in PATH, nvcc then in $CUDA_HOME/bin and
// /usr/local/cuda/bin. The options are those that MindSpore documents, and the folder of
// custom_aot_extra.h is searched last for headers. Kernels are compiled for the oldest architecture
// from compute_70 on that this nvcc has, as machine code and as PTX, which newer devices compile.
//
// A library is kept, and returned again, as long as the compiler's version, the options and the
// preprocessed source are the same: in $XDG_CACHE_HOME/callbridge/aot, or else in
// ~/.cache/callbridge/aot, or else in $TMPDIR/callbridge-UID/aot: in the first of these that this
// user can make and that no one else can write to.
//
// Returns NOT_FOUND if there is no such file; INVALID_ARGUMENT, with the compiler's output, if it
// does not compile; DEADLINE_EXCEEDED after `limit`; FAILED_PRECONDITION if there is no compiler,
// and if no folder can be written to. Thread-safe, and safe beside other processes.
absl::StatusOr<std::string> CompileSource(const std::string& path,
                                          absl::Duration limit = kCompilerLimit);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_AOT_SOURCE_H_
