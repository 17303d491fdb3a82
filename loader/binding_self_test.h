// Whether this machine's ld.so does what every PrivateCopy relies on: that it leaves the values of
// absolute symbols as they are, wherever it loads the copy to. No standard says so.
#ifndef CALLBRIDGE_LOADER_BINDING_SELF_TEST_H_
#define CALLBRIDGE_LOADER_BINDING_SELF_TEST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/loader/file_descriptor.h"
#include "callbridge/loader/private_copy.h"

namespace callbridge {

// Loads a library of some hundred bytes, made here, with a symbol that is bound to this process,
// and looks where its pointers lead. FAILED_PRECONDITION: elsewhere; the message names the C
// library. Otherwise fails as LoadedCopy::Open(). Runs until it has passed once: what it fails for,
// such as a limit of open files, may be gone by the next call.
absl::Status BindingSelfTest();

// The parts of it. The private copy of the tiny library.
absl::StatusOr<PrivateCopy> MakeSelfTestCopy();
// Loads that copy from a file that holds it.
absl::Status TestBinding(const PrivateCopy& copy, FileDescriptor file);
// Judges where a pointer to the bound symbol leads.
absl::Status CheckBoundAddress(uint64_t expected, uint64_t bound);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_BINDING_SELF_TEST_H_
