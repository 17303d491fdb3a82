// ApiVersion: the number of an ABI of custom calls. XLA numbers 1 to 4 (xla.CustomCallApiVersion in
// hlo.proto); an ABI that XLA does not number gets a number from kFirstOwnApiVersion on. The ABI's
// row describes it (target_abi.h).
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ABI_API_VERSION_H_
#define CALLBRIDGE_ABI_API_VERSION_H_

#include <cstdint>

namespace callbridge {

enum class ApiVersion : uint8_t {
  kUnspecified = 0,
  kOriginal = 1,
  kStatusReturning = 2,
  kStatusReturningUnified = 3,
  kTypedFfi = 4,
};

inline constexpr int kFirstOwnApiVersion = 100;

// Returns `number` as an ApiVersion, or kUnspecified if no ABI may have that number. Does not check
// that an ABI with that number exists; adapters/target_abis.h does.
constexpr ApiVersion ApiVersionOfNumber(int64_t number) {
  const bool is_of_xla = number >= 0 && number <= static_cast<int>(ApiVersion::kTypedFfi);
  const bool is_own = number >= kFirstOwnApiVersion && number <= UINT8_MAX;
  return is_of_xla || is_own ? static_cast<ApiVersion>(number) : ApiVersion::kUnspecified;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_API_VERSION_H_
