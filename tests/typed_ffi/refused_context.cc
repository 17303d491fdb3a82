// Misuses of contexts, state, futures and matching that the compiler has to explain. MISUSE is the
// number of one.
#include <memory>
#include <optional>

#include "callbridge/typed_ffi/binding/ffi.h"

using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

struct WithoutId {};
struct IdOfAnotherType {
  static long id;
};
struct WithId {
  static TypeId id;
};

template <typename T>
auto DecodeOf(T) -> typename CtxDecoding<T>::Type;
template <ExecutionStage stage, typename T>
void Encode(T result) {
  (void)ResultEncoding<stage, T>::Encode(nullptr, nullptr, std::move(result));
}

void Misuse([[maybe_unused]] AnyBuffer buffer) {
#if MISUSE == 1
  (void)sizeof(CtxDecoding<State<WithoutId>>);
#elif MISUSE == 2
  (void)sizeof(CtxDecoding<State<IdOfAnotherType>>);
#elif MISUSE == 3
  (void)sizeof(CtxDecoding<UserData<WithoutId>>);
#elif MISUSE == 4
  (void)sizeof(CtxDecoding<PlatformStream<int>>);
#elif MISUSE == 5
  Encode<ExecutionStage::kExecute>(ErrorOr<std::unique_ptr<WithId>>(std::make_unique<WithId>()));
#elif MISUSE == 6
  Encode<ExecutionStage::kInstantiate>(
      ErrorOr<std::unique_ptr<WithoutId>>(std::make_unique<WithoutId>()));
#elif MISUSE == 7
  Promise promise;
  Future(promise).OnReady([](int) {});
#elif MISUSE == 8
  (void)Match("b", buffer, match::Buffer<F32>());
#elif MISUSE == 9
  (void)match::Buffer<F32>().WithRank<kDynamicRank>();
#elif MISUSE == 10
  (void)sizeof(CtxDecoding<WithoutId>);
#endif
}
