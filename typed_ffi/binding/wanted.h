// What a type of a handler's signature expects in a call, as data for messages: the code that
// writes them exists once, not once for every handler.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_WANTED_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_WANTED_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/diagnostics.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// The rank of a buffer that may have any.
inline constexpr size_t kDynamicRank = std::numeric_limits<size_t>::max();

namespace internal {

struct Member;

struct Wanted {
  enum class Kind : uint8_t {
    kBuffer,  // of `dtype`, INVALID for any, and `number` dimensions
    kScalar,  // of `dtype`
    kArray,   // of `dtype`
    kString,
    kDictionary,
    kStruct,   // a dictionary of exactly the `number` `members`, sorted by name
    kDecoded,  // whatever `decodes` can decode
  };

  Kind kind;
  DataType dtype = DataType::INVALID;
  size_t number = kDynamicRank;
  const Member* members = nullptr;
  // Whether a user's decoding accepts `value` of that XLA_FFI_ArgType, RetType or AttrType.
  bool (*decodes)(int type, void* value, DiagnosticEngine& diagnostic) = nullptr;
};

struct Member {
  std::string_view name;
  Wanted wanted;
};

// The base of decodings that need no Decode(): Isa() checks without side effects, and Get() relies
// on it, so that the handler holds nothing in between. Such a decoding also has a `kWanted`.
struct Direct {};

template <typename Decoding>
inline constexpr bool kIsDirect = std::is_base_of_v<Direct, Decoding>;

template <typename Decoding, typename Type>
bool Decodes(int type, void* value, DiagnosticEngine& diagnostic) {
  return static_cast<bool>(Decoding::Decode(static_cast<Type>(type), value, diagnostic));
}

// `Type` is the enum that `Decoding` takes.
template <typename Decoding, typename Type>
constexpr Wanted WantedBy() {
  if constexpr (kIsDirect<Decoding>) {
    return Decoding::kWanted;
  } else {
    return Wanted{Wanted::Kind::kDecoded, DataType::INVALID, 0, nullptr, &Decodes<Decoding, Type>};
  }
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_WANTED_H_
