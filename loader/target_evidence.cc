#include "callbridge/loader/target_evidence.h"

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "callbridge/abi/platform.h"
#include "callbridge/loader/demangled_name.h"

namespace callbridge {
namespace {

// What a parameter is for, and thereby which types it is declared with.
enum class Parameter { kNone, kOut, kIn, kStream, kBuffers, kOpaque, kOpaqueSize, kStatus, kFrame };

struct ParameterType {
  Parameter parameter;
  absl::string_view type;  // as the demangler writes it
};

constexpr ParameterType kParameterTypes[] = {
    {Parameter::kOut, "void*"},
    {Parameter::kIn, "void const**"},
    {Parameter::kIn, "void**"},  // so in all of jaxlib's own kernels
    {Parameter::kIn, "void const* const*"},
    {Parameter::kBuffers, "void**"},
    {Parameter::kOpaque, "char const*"},
    {Parameter::kOpaque, "char*"},  // so in jax-cuda12-plugin 0.4.30's _mosaic_gpu_ext.so
    {Parameter::kOpaqueSize, "unsigned long"},
    {Parameter::kStatus, "XlaCustomCallStatus_*"},
    {Parameter::kStatus, "XlaCustomCallStatus*"},
    {Parameter::kFrame, "XLA_FFI_CallFrame*"},
};

constexpr size_t kMaximumParameters = 5;

struct Signature {
  bool is_gpu;
  ApiVersion api_version;
  Parameter parameters[kMaximumParameters];  // kNone after the last one
};

constexpr Signature kSignatures[] = {
    {false, ApiVersion::kOriginal, {Parameter::kOut, Parameter::kIn}},
    {false, ApiVersion::kStatusReturning, {Parameter::kOut, Parameter::kIn, Parameter::kStatus}},
    {false,
     ApiVersion::kStatusReturningUnified,
     {Parameter::kOut, Parameter::kIn, Parameter::kOpaque, Parameter::kOpaqueSize,
      Parameter::kStatus}},
    {true,
     ApiVersion::kOriginal,
     {Parameter::kStream, Parameter::kBuffers, Parameter::kOpaque, Parameter::kOpaqueSize}},
    {true,
     ApiVersion::kStatusReturning,
     {Parameter::kStream, Parameter::kBuffers, Parameter::kOpaque, Parameter::kOpaqueSize,
      Parameter::kStatus}},
    {false, ApiVersion::kTypedFfi, {Parameter::kFrame}},
    {true, ApiVersion::kTypedFfi, {Parameter::kFrame}},
};

bool IsDeclaredWith(Parameter parameter, absl::string_view type) {
  // A stream is a pointer to whatever the driver's header calls it.
  if (parameter == Parameter::kStream) return absl::EndsWith(type, "*");
  for (const ParameterType& known : kParameterTypes) {
    if (known.parameter == parameter && known.type == type) return true;
  }
  return false;
}

bool Matches(const Signature& signature, const std::vector<absl::string_view>& types) {
  if (types.size() > kMaximumParameters) return false;
  for (size_t i = 0; i < kMaximumParameters; ++i) {
    const Parameter parameter = signature.parameters[i];
    if (i >= types.size()) return parameter == Parameter::kNone;
    if (!IsDeclaredWith(parameter, types[i])) return false;
  }
  return true;
}

// The parameters of "name(types)"; empty if there are none, or if the name is an operator's or
// belongs to a function that returns a function.
std::vector<absl::string_view> ParameterTypes(absl::string_view function) {
  function = function.substr(0, function.find(" [clone "));  // what optimisers append
  if (!absl::EndsWith(function, ")")) return {};
  int depth = 0;
  size_t open = function.size();
  do {
    if (open == 0) return {};
    --open;
    if (function[open] == ')') ++depth;
    if (function[open] == '(') --depth;
  } while (depth > 0);
  if (absl::EndsWith(function.substr(0, open), ")")) return {};
  const absl::string_view list = function.substr(open + 1, function.size() - open - 2);
  return absl::StrSplit(list, ", ", absl::SkipEmpty());
}

ApiVersion VersionOfTypes(const std::vector<absl::string_view>& types, Platform platform) {
  for (const Signature& signature : kSignatures) {
    if (signature.is_gpu == IsGpu(platform) && Matches(signature, types)) {
      return signature.api_version;
    }
  }
  return ApiVersion::kUnspecified;
}

}  // namespace

TargetEvidence EvidenceOfSymbols(absl::Span<const std::string> symbols,
                                 absl::string_view platform) {
  if (symbols.empty()) return {ApiVersion::kUnspecified, "no symbol at its address"};
  const absl::StatusOr<Platform> known_platform = ParsePlatform(platform);
  std::vector<TargetEvidence> proofs;  // of different versions
  std::string unproved;
  for (const std::string& symbol : symbols) {
    const std::string function = Demangled(symbol);
    if (function.empty()) {
      if (unproved.empty())
        unproved = absl::StrCat("symbol ", symbol,
                                IsCheapToDemangle(symbol) ? " has no type (extern \"C\")"
                                                          : " is too costly to demangle");
      continue;
    }
    const ApiVersion version = known_platform.ok()
                                   ? VersionOfTypes(ParameterTypes(function), *known_platform)
                                   : ApiVersion::kUnspecified;
    if (version == ApiVersion::kUnspecified) {
      unproved = absl::StrCat("symbol ", function, " is no custom call that callbridge knows on \"",
                              platform, "\"");
    } else if (proofs.empty() || proofs.back().api_version != version) {
      proofs.push_back({version, absl::StrCat("symbol ", function)});
    }
  }
  if (proofs.empty()) return {ApiVersion::kUnspecified, unproved};
  if (proofs.size() == 1) return proofs.front();
  // Linkers may fold functions with the same code into one.
  return {
      ApiVersion::kUnspecified,
      absl::StrCat("contradictory: ",
                   absl::StrJoin(proofs, ", ", [](std::string* out, const TargetEvidence& proof) {
                     out->append(proof.text);
                   }))};
}

}  // namespace callbridge
