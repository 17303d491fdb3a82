// TargetAbi: what is known of one ABI of custom calls, as data. The rows stand in the ABIs' own
// folders (legacy/target_abi.h, status_returning/target_abi.h, typed_ffi/target_abi.h), beside the
// code that calls their functions; adapters/target_abi_list.h lists them.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ABI_TARGET_ABI_H_
#define CALLBRIDGE_ABI_TARGET_ABI_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "callbridge/abi/api_version.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

// What a parameter is for, and the types that it is declared with: as demanglers write them,
// separated by "|".
namespace parameter {
inline constexpr char kOut[] = "void*";
// Real code declares void** where the documentation has const void**, so all of jaxlib's kernels.
inline constexpr char kIn[] = "void const**|void**|void const* const*";
// Any pointer: toolkits have their own names for a stream's type.
inline constexpr char kStream[] = "*";
inline constexpr char kBuffers[] = "void**";
// char* in jax-cuda12-plugin 0.4.30's _mosaic_gpu_ext.so.
inline constexpr char kOpaque[] = "char const*|char*";
inline constexpr char kOpaqueSize[] = "unsigned long";
}  // namespace parameter

// What a call provides to a target: bits, which the C API returns.
namespace provides {
inline constexpr uint32_t kStatus = 1;  // an XlaCustomCallStatus to report a failure by
inline constexpr uint32_t kOpaque = 2;  // bytes of the call site
inline constexpr uint32_t kStream = 4;
inline constexpr uint32_t kTuples = 8;   // tuples as tables of pointers; without: leaves alone
inline constexpr uint32_t kCounts = 16;  // how many operands and results there are
inline constexpr uint32_t kShapes = 32;
inline constexpr uint32_t kAttributes = 64;  // of the call site, by name
}  // namespace provides

// What a function of a certain type is.
enum class Proof : uint8_t {
  kAbi,               // of this ABI, wherever its type is seen
  kAbiInSymbols,      // of this ABI where a symbol has the type, but nothing that macros register
  kAbiInSource,       // of this ABI where a macro sees the type, but not where a symbol has it
  kSwappedArguments,  // one of this ABI whose author swapped two arguments; macros refuse it
};

inline constexpr size_t kMaxParameters = 8;

struct Signature {
  Proof proof;
  const char* parameters[kMaxParameters];  // parameter::..., null after the last
};

constexpr bool IsSeenInSymbols(const Signature& signature) {
  return signature.parameters[0] != nullptr &&
         (signature.proof == Proof::kAbi || signature.proof == Proof::kAbiInSymbols);
}

inline constexpr size_t kMaxSignatures = 2;

// An ABI on one kind of platform.
struct PlatformAbi {
  // The ABI by whose code functions of this one are called; kUnspecified where the platform does
  // not have this ABI. ABIs with one `called_as` are called alike: to declare one for another is no
  // mistake.
  ApiVersion called_as;
  uint32_t provides;                     // provides::...
  Signature signatures[kMaxSignatures];  // without parameters after the last
  // A function of unknown ABI is called by this one: on that platform a wrong guess cannot crash.
  bool serves_unknown;
};

struct TargetAbi {
  ApiVersion number;
  const char* name;      // in texts, in Python and on the command line
  const char* c_name;    // the enumerator in callbridge.h
  const char* cpp_name;  // the enumerator of ApiVersion
  const char* result;    // what its functions return, as demanglers write it
  PlatformAbi host;
  PlatformAbi gpu;
};

// ---- A type and its spelling ----

// A type as demanglers write it, for those that are no pointers. Empty for a type that no row
// names. Rows that name more types specialise it.
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

// Whether T is written as `text`.
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

// Calls visit(type) with each of the types of a parameter until one returns true, and returns
// whether one did.
template <typename Visit>
constexpr bool AnyType(std::string_view types, Visit visit) {
  for (;;) {
    const size_t end = types.find('|');
    if (visit(types.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    types.remove_prefix(end + 1);
  }
}

// Whether a parameter that is `types` is declared with T.
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
