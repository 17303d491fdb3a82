// TargetAbi: a row that describes one ABI of custom calls. Each ABI's folder has its row beside the
// code that calls its functions (legacy/target_abi.h, status_returning/target_abi.h,
// typed_ffi/target_abi.h); adapters/target_abi_list.h lists the rows.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ABI_TARGET_ABI_H_
#define CALLBRIDGE_ABI_TARGET_ABI_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "callbridge/abi/api_version.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

// The types that a parameter is declared with, by its purpose, as demanglers write them, separated
// by "|".
namespace parameter {
inline constexpr char kOut[] = "void*";
// The documentation has const void**, but real code declares void**, all of jaxlib's kernels
// included.
inline constexpr char kIn[] = "void const**|void**|void const* const*";
// Any pointer: each toolkit has its own name for a stream's type.
inline constexpr char kStream[] = "*";
inline constexpr char kBuffers[] = "void**";
// char* in jax-cuda12-plugin 0.4.30's _mosaic_gpu_ext.so.
inline constexpr char kOpaque[] = "char const*|char*";
inline constexpr char kOpaqueSize[] = "unsigned long";
}  // namespace parameter

// What a call provides to a target besides its buffers, as bits. The C API uses the same numbers.
namespace provides {
inline constexpr uint32_t kStatus = 1;  // an XlaCustomCallStatus to report a failure by
inline constexpr uint32_t kOpaque = 2;  // bytes of the call site
inline constexpr uint32_t kStream = 4;
inline constexpr uint32_t kTuples = 8;   // tuples as tables of pointers; without it, only leaves
inline constexpr uint32_t kCounts = 16;  // the numbers of operands and results
inline constexpr uint32_t kShapes = 32;
inline constexpr uint32_t kAttributes = 64;  // named attributes of the call site
}  // namespace provides

// What a function's type says about its ABI.
enum class Proof : uint8_t {
  kAbi,               // the function has this ABI, wherever its type is seen
  kAbiInSymbols,      // has this ABI if a symbol shows the type; macros do not conclude it
  kAbiInSource,       // has this ABI if a macro sees the type; symbols do not conclude it
  kSwappedArguments,  // has this ABI, but with two arguments swapped; macros refuse it
};

inline constexpr size_t kMaxParameters = 8;

struct Signature {
  Proof proof{};                                // nvcc makes constants of initialised members alone
  std::string_view parameters[kMaxParameters];  // parameter::..., empty after the last
};

constexpr bool IsSeenInSymbols(const Signature& signature) {
  return !signature.parameters[0].empty() &&
         (signature.proof == Proof::kAbi || signature.proof == Proof::kAbiInSymbols);
}

inline constexpr size_t kMaxSignatures = 2;

// An ABI on one platform: Host or GPU.
struct PlatformAbi {
  // The ABI whose code calls functions of this one; kUnspecified if the platform does not have this
  // ABI. ABIs with the same `called_as` are called alike, so declaring one for the other is
  // harmless.
  ApiVersion called_as;
  uint32_t provides;                     // provides::... bits
  Signature signatures[kMaxSignatures];  // without parameters after the last
  // Functions of unknown ABI are called by this one, because a wrong guess cannot crash there.
  bool serves_unknown;
};

struct TargetAbi {
  ApiVersion number;
  const char* name;      // in messages, in Python and on the command line
  const char* c_name;    // the enumerator in callbridge.h
  const char* cpp_name;  // the enumerator of ApiVersion
  const char* result;    // the return type of its functions, as demanglers write it
  PlatformAbi host;
  PlatformAbi gpu;
};

// ---- C++ types and their spelling ----

// The spelling, by demanglers, of a type that is not a pointer; empty if no row names the type.
// Rows that name further types specialise it.
template <typename T>
inline constexpr std::string_view kTypeName = "";
template <>
inline constexpr std::string_view kTypeName<void> = "void";
template <>
inline constexpr std::string_view kTypeName<char> = "char";
template <>
inline constexpr std::string_view kTypeName<int> = "int";
template <>
inline constexpr std::string_view kTypeName<int64_t> = "long";
template <>
inline constexpr std::string_view kTypeName<size_t> = "unsigned long";

// Tells whether demanglers write T as `text`.
template <typename T>
struct Spelling {
  static constexpr bool kIsPointer = false;
  static constexpr bool Is(std::string_view text) { return !text.empty() && text == kTypeName<T>; }
};
template <typename T>
struct Spelling<const T> {
  static constexpr bool kIsPointer = Spelling<T>::kIsPointer;
  static constexpr bool Is(std::string_view text) {
    constexpr std::string_view kConst = " const";
    if (text.size() <= kConst.size()) return false;
    const size_t size = text.size() - kConst.size();
    return text.substr(size) == kConst && Spelling<T>::Is(text.substr(0, size));
  }
};
template <typename T>
struct Spelling<T*> {
  static constexpr bool kIsPointer = true;
  static constexpr bool Is(std::string_view text) {
    return !text.empty() && text.back() == '*' && Spelling<T>::Is(text.substr(0, text.size() - 1));
  }
};

// Calls visit(type) for each type of a parameter until one returns true. Returns whether one did.
template <typename Visit>
constexpr bool AnyType(std::string_view types, Visit visit) {
  for (;;) {
    size_t end = 0;  // find() is no constant with g++'s -fsanitize=undefined
    while (end < types.size() && types[end] != '|') ++end;
    if (visit(types.substr(0, end))) return true;
    if (end == types.size()) return false;
    types.remove_prefix(end + 1);
  }
}

// Returns true if a parameter of these types may be declared as T.
template <typename T>
constexpr bool IsDeclaredAs(std::string_view types) {
  return AnyType(types, [](std::string_view type) {
    return type == parameter::kStream ? Spelling<T>::kIsPointer : Spelling<T>::Is(type);
  });
}

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ABI_TARGET_ABI_H_
