// ApiVersion: the number of an ABI of custom calls. 1 to 4 are XLA's (xla.CustomCallApiVersion in
// hlo.proto); an ABI that XLA does not number has one from kFirstOwnApiVersion on. What is known of
// each ABI is its row (target_abi.h).
//
// Standard library alone: this header goes into other people's builds.
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

// `number` where an ABI can have it, and kUnspecified for all others. Whether one has it, the table
// knows (adapters/target_abis.h).
constexpr ApiVersion ApiVersionOfNumber(int64_t number) {
  const bool is_of_xla = number >= 0 && number <= static_cast<int>(ApiVersion::kTypedFfi);
  const bool is_own = number >= kFirstOwnApiVersion && number <= UINT8_MAX;
  return is_of_xla || is_own ? static_cast<ApiVersion>(number) : ApiVersion::kUnspecified;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_API_VERSION_H_
