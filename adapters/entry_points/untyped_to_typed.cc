#include "callbridge/adapters/entry_points/untyped_to_typed.h"

#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/ended_thread.h"
#include "callbridge/abi/typed_site_descriptor.h"
#include "callbridge/cuda/stream.h"
#include "callbridge/typed_ffi/host/runtime_services.h"

namespace callbridge {
namespace {

constexpr char kWhy[] =
    "the runtime calls this handler by custom-call version 3, which provides no such thing";

const host::NoMore kNoMore = {kWhy};
const host::NoMore kNoMoreOnCuda = {kWhy, &cuda::FindDeviceOrdinal};

const host::RuntimeServices& ServicesOfVersionThree(Platform platform) {
  const auto services = [](const host::NoMore& no_more) {
    auto* nothing = new host::RuntimeServices;
    nothing->no_more = &no_more;
    return nothing;
  };
  static const host::RuntimeServices& elsewhere = *services(kNoMore);
  static const host::RuntimeServices& on_cuda = *services(kNoMoreOnCuda);
  return platform == Platform::kCuda ? on_cuda : elsewhere;
}

class IsTrueMeanwhile {
 public:
  explicit IsTrueMeanwhile(bool& value) : value_(value) { value_ = true; }
  IsTrueMeanwhile(const IsTrueMeanwhile&) = delete;
  IsTrueMeanwhile& operator=(const IsTrueMeanwhile&) = delete;
  ~IsTrueMeanwhile() { value_ = false; }

 private:
  bool& value_;
};

}  // namespace

UntypedToTypedEntry::UntypedToTypedEntry(const Target& target, size_t most_sites)
    : target_(target), services_(ServicesOfVersionThree(target.platform)), sites_(most_sites) {}

absl::StatusOr<UntypedToTypedEntry::Sites::Held> UntypedToTypedEntry::BindSite(
    absl::string_view descriptor) {
  absl::StatusOr<callbridge::CallSite> site = DecodeTypedSiteDescriptor(descriptor);
  if (!site.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom call \"", target_.name,
                     "\" is a typed FFI handler, so the call's opaque must describe the call "
                     "site: ",
                     site.status().message()));
  }
  site->platform = target_.platform;
  Sites::Held known = sites_.FindOrAdd(descriptor);
  // Waits only for a thread that makes the first call of the same site.
  const std::lock_guard<std::recursive_mutex> lock(known->binding);
  if (known->bound.has_value()) return known;
  if (known->is_being_bound) {
    return absl::FailedPreconditionError(
        absl::StrCat("custom call \"", target_.name,
                     "\": INSTANTIATE calls its own call site, which cannot be called before "
                     "INSTANTIATE has returned"));
  }
  ExecutionContext context;
  context.services = &services_;
  const IsTrueMeanwhile being_bound(known->is_being_bound);
  absl::StatusOr<BoundCall> call = Bind(*site, target_, context);
  if (!call.ok()) return call.status();
  known->bound.emplace(BoundSite{site->operands.size(),
                                 static_cast<size_t>(site->result.LeafCount()), *std::move(call),
                                 static_cast<size_t>(site->scratch_bytes)});
  (site->scratch_bytes == 0 ? known->is_bound : known->is_bound_with_scratch)
      .store(true, std::memory_order_release);
  return known;
}

ABSL_ATTRIBUTE_NOINLINE absl::Status UntypedToTypedEntry::CallWithScratch(const BoundSite& site,
                                                                          void* first,
                                                                          void** pointers) const {
  ExecutionContext context;
  void** results = site.results == 0 ? &first : static_cast<void**>(first);
  if (IsGpu(target_.platform)) {
    context.stream = first;
    results = pointers + site.operands;
  }
  host::BlockScratchAllocator scratch(results[site.results], site.scratch_bytes);
  host::RuntimeServices services = services_;
  services.scratch = &scratch;
  context.services = &services;
  const absl::Status status =
      site.call.Execute({{pointers, site.operands}, {results, site.results}}, context);
  return ABSL_PREDICT_TRUE(status.ok()) ? status : scratch.Outcome(status);
}

absl::Status UntypedToTypedEntry::CallSiteOf(absl::string_view descriptor, void* first,
                                             void** pointers) {
  Sites::Held known = sites_.Find(descriptor);
  const BoundSite* bound = known ? known->Bound() : nullptr;
  if (ABSL_PREDICT_FALSE(bound == nullptr)) {
    if (!known || known->BoundWithScratch() == nullptr) {
      absl::StatusOr<Sites::Held> made = BindSite(descriptor);
      if (!made.ok()) return made.status();
      known = *std::move(made);
    }
    bound = known->Bound();
    if (bound == nullptr) return CallWithScratch(*known->BoundWithScratch(), first, pointers);
  }
  const BoundSite& site = *bound;
  ExecutionContext context;
  context.services = &services_;
  CallBuffers buffers{{pointers, site.operands}, {}};
  if (IsGpu(target_.platform)) {
    context.stream = first;
    buffers.results = {pointers + site.operands, site.results};
  } else {
    // The runtime passes flat results, so a lone one is a pointer to an array.
    buffers.results = {site.results == 1 ? &first : static_cast<void**>(first), site.results};
  }
  return site.call.Execute(buffers, context);
}

void UntypedToTypedEntry::Call(void* first, void** pointers, const char* opaque, size_t opaque_len,
                               XlaCustomCallStatus* status) {
  const absl::Status result = RequiringThread([&] {
    return CallSiteOf({opaque, opaque_len}, first, pointers);
  });
  if (ABSL_PREDICT_TRUE(result.ok())) return;
  const std::string text =
      absl::StrCat(absl::StatusCodeToString(result.code()), ": ", result.message());
  XlaCustomCallStatusSetFailure(status, text.data(), text.size());
}

}  // namespace callbridge
