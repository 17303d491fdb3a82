// The probe: is a function a typed FFI handler?
//
// It is asked by calling it, in a process of its own: a function of another type may crash, never
// end or end the process. The helper program callbridge-probe opens the function's file and calls
// the function at the same offset.
#ifndef CALLBRIDGE_LOADER_TYPED_PROBE_H_
#define CALLBRIDGE_LOADER_TYPED_PROBE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace callbridge {

enum class TypedVerdict {
  kUnverified = 0,  // it could not be asked, or returned without an answer, which proves nothing
  kTyped = 1,
  kNotTyped = 2,  // it crashed, threw, ended the process or did not return
};

// "unverified", "typed", "not_typed". Static storage.
absl::string_view TypedVerdictName(TypedVerdict verdict);

struct TypedAnswer {
  TypedVerdict verdict = TypedVerdict::kUnverified;
  std::string evidence;  // for people: "answers the metadata query: XLA FFI 0.1"
};

// Asks the function at `address`, relative to the load address, of the file at `path`. The file's
// constructors run in the helper. Thread-safe.
TypedAnswer ProbeTyped(const std::string& path, uint64_t address);

// Asks a function of this process, by the file that it was loaded from. Addresses of no file, such
// as of code made at run time, and those of the program and of callbridge itself are kUnverified.
TypedAnswer ProbeTyped(const void* address);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_TYPED_PROBE_H_
