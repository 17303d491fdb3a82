// The entry point by which a runtime without FFI calls a typed target: a function of version 3.
#ifndef CALLBRIDGE_ADAPTERS_ENTRY_POINTS_UNTYPED_TO_TYPED_H_
#define CALLBRIDGE_ADAPTERS_ENTRY_POINTS_UNTYPED_TO_TYPED_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/evicting_cache.h"
#include "callbridge/adapters/target.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/typed_ffi/host/runtime_services.h"

namespace callbridge {

// A typed target, and the instances of its handlers at the call sites that have called it, by their
// descriptors (abi/typed_site_descriptor.h). Sites with equal descriptors share one instance and
// its state.
class UntypedToTypedEntry {
 public:
  static constexpr size_t kMostSites = 32768;

  // Keeps at most `most_sites` instances. A runtime does not say which programs are gone, so beyond
  // that number each new instance evicts one that no call has used lately, and deletes its state;
  // the site's next call makes both anew. An instance that a call uses is not evicted.
  explicit UntypedToTypedEntry(const Target& target, size_t most_sites = kMostSites);
  UntypedToTypedEntry(const UntypedToTypedEntry&) = delete;
  UntypedToTypedEntry& operator=(const UntypedToTypedEntry&) = delete;

  // Serves one call of EntryPoints::untyped, whose opaque is a typed site descriptor. `first` and
  // `pointers` are `out` and `in` on Host, the stream and the buffers on GPU.
  //
  // The first call with a descriptor decodes it, binds the target and calls INSTANTIATE; if that
  // fails, the next call tries again. Later calls find the instance by a hash of all bytes and one
  // comparison, without a lock and without allocating, and run BoundCall::Execute(). Returns
  // FAILED_PRECONDITION if INSTANTIATE calls its own site, because the call would wait for itself.
  // Writes errors into `status` as "<CODE>: <message>", since that is text only. Thread-safe as far
  // as the target is.
  void Call(void* first, void** pointers, const char* opaque, size_t opaque_len,
            XlaCustomCallStatus* status);

 private:
  struct BoundSite {
    size_t operands;  // leaves
    size_t results;
    BoundCall call;
    size_t scratch_bytes;  // of the result behind the others; 0: there is none
  };
  // One object, because among many sites each pointer that a call follows is a cache miss.
  struct Site {
    // Returns null if the site is not bound yet, or if its calls give scratch memory, so that those
    // of others need not ask whether they do.
    const BoundSite* Bound() const {
      return is_bound.load(std::memory_order_acquire) ? &*bound : nullptr;
    }
    // Likewise for a site whose calls give scratch memory.
    const BoundSite* BoundWithScratch() const {
      return is_bound_with_scratch.load(std::memory_order_acquire) ? &*bound : nullptr;
    }

    std::atomic<bool> is_bound{false};
    bool is_being_bound = false;  // under `binding`, by the thread that has it
    std::atomic<bool> is_bound_with_scratch{false};
    absl::optional<const BoundSite> bound;  // does not change once it is there
    std::recursive_mutex binding;           // INSTANTIATE may call the site that it is called for
  };

  using Sites = EvictingCache<Site>;

  absl::StatusOr<Sites::Held> BindSite(absl::string_view descriptor);
  absl::Status CallWithScratch(const BoundSite& site, void* first, void** pointers) const;
  absl::Status CallSiteOf(absl::string_view descriptor, void* first, void** pointers);

  const Target target_;
  const host::RuntimeServices& services_;
  Sites sites_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_ENTRY_POINTS_UNTYPED_TO_TYPED_H_
