// The untyped way back to a typed target: a function of version 3 that leads to an FFI handler, for
// runtimes that have no FFI.
#ifndef CALLBRIDGE_ADAPTERS_UNTYPED_TO_TYPED_ENTRY_H_
#define CALLBRIDGE_ADAPTERS_UNTYPED_TO_TYPED_ENTRY_H_

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

namespace callbridge {

// A typed target, and its handlers' instances at the call sites that have called it, by their
// descriptors (abi/typed_site_descriptor.h): sites that are alike share one, and its state.
class UntypedToTypedEntry {
 public:
  static constexpr size_t kMostSites = 32768;

  // Of `most_sites` instances. A runtime does not say which programs are gone, so beyond that one
  // that no call has used lately goes for each that comes, and its state is deleted; the site's
  // next call makes both anew. None goes while a call uses it.
  explicit UntypedToTypedEntry(const Target& target, size_t most_sites = kMostSites)
      : target_(target), sites_(most_sites) {}
  UntypedToTypedEntry(const UntypedToTypedEntry&) = delete;
  UntypedToTypedEntry& operator=(const UntypedToTypedEntry&) = delete;

  // Serves one call of EntryPoints::untyped, whose opaque is a typed site descriptor. `first` and
  // `pointers` are out and in on Host, the stream and the buffers on GPU.
  //
  // A descriptor's first call decodes it, binds the target and calls INSTANTIATE, once until the
  // instance is evicted; where that fails, the next call tries again. All further calls find it by
  // a hash of all its bytes and one comparison, without a lock and without allocating, and then are
  // BoundCall::Execute(). FAILED_PRECONDITION for a call by the INSTANTIATE that it would have to
  // wait for. What is not OK goes into `status` as "<CODE>: <message>", since that is
  // text alone. Thread-safe as far as the target is.
  void Call(void* first, void** pointers, const char* opaque, size_t opaque_len,
            XlaCustomCallStatus* status);

 private:
  struct BoundSite {
    size_t operands;  // leaves
    size_t results;
    BoundCall call;
  };
  // One object, since among many sites each pointer that a call follows is a cache miss.
  struct Site {
    // Null where it is not bound yet.
    const BoundSite* Bound() const {
      return is_bound.load(std::memory_order_acquire) ? &*bound : nullptr;
    }

    std::atomic<bool> is_bound{false};
    bool is_being_bound = false;            // under `binding`, by the thread that has it
    absl::optional<const BoundSite> bound;  // does not change once it is there
    std::recursive_mutex binding;           // INSTANTIATE may call the site that it is called for
  };

  using Sites = EvictingCache<Site>;

  absl::StatusOr<Sites::Held> BindSite(absl::string_view descriptor);
  absl::Status CallSiteOf(absl::string_view descriptor, void* first, void** pointers);

  const Target target_;
  Sites sites_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_UNTYPED_TO_TYPED_ENTRY_H_
