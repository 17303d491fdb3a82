// Typed targets called as a runtime without FFI calls them: through version 3.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_VERSION_THREE_CALLS_H_
#define CALLBRIDGE_TESTS_ADAPTERS_VERSION_THREE_CALLS_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/typed_site_descriptor.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "gtest/gtest.h"

namespace callbridge {

inline constexpr size_t kSize = 8;
using Floats = std::array<float, kSize>;

inline CallSite Site(const std::vector<const char*>& operands, const char* result,
                     Attributes attributes = {}) {
  CallSite site;
  for (const char* operand : operands) site.operands.push_back(ParseShape(operand).value());
  site.result = ParseShape(result).value();
  site.attributes = std::move(attributes);
  return site;
}

// Of so many operands and one result, all of kSize floats.
inline CallSite FloatSite(size_t operands, Attributes attributes = {}) {
  return Site(std::vector<const char*>(operands, "f32[8]"), "f32[8]", std::move(attributes));
}

inline std::string Descriptor(const CallSite& site) {
  return EncodeTypedSiteDescriptor(site).value();
}

inline Target TypedTarget(XLA_FFI_Handler* execute, XLA_FFI_Handler* instantiate = nullptr) {
  Target target = {"typed", Platform::kHost, ApiVersion::kTypedFfi, true,
                   reinterpret_cast<void*>(execute)};
  target.stages.instantiate = instantiate;
  return target;
}

inline Attributes Scalar(const char* name, int32_t value) {
  Attributes attributes;
  attributes.SetScalar(name, PrimitiveType::kS32, &value);
  return attributes;
}

// Calls as a runtime calls version 3. "OK", or what the status has then.
inline std::string Call(const Target& target, void* first, void** pointers,
                        const std::string& descriptor) {
  const absl::StatusOr<EntryPoints> points = GetEntryPoints(target);
  if (!points.ok()) return points.status().ToString();
  EXPECT_EQ(points->typed, nullptr);
  XlaCustomCallStatus status;
  // Of its true size, so that sanitizers see who reads past it.
  const std::vector<char> opaque(descriptor.begin(), descriptor.end());
  using Function = void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*);
  reinterpret_cast<Function>(points->untyped)(first, pointers, opaque.data(), opaque.size(),
                                              &status);
  return status.message.value_or("OK");
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_VERSION_THREE_CALLS_H_
