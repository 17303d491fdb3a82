// What a file shows of the GPU that it was built for.
#ifndef CALLBRIDGE_LOADER_GPU_CODE_H_
#define CALLBRIDGE_LOADER_GPU_CODE_H_

#include <libelf.h>

#include <set>
#include <string>

#include "absl/strings/string_view.h"

namespace callbridge {

// The architectures that the kernels in the section .nv_fatbin are for: "sm_90", or "compute_90"
// for PTX. A section that is damaged gives what stands before the damage.
std::set<std::string> FatBinaryArchitectures(absl::string_view section);

// The same for a file; `has_hip` is set where it holds kernels for AMD's GPUs.
std::set<std::string> GpuArchitectures(Elf* elf, bool* has_hip);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_GPU_CODE_H_
