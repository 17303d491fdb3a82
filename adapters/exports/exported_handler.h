// ExportedHandler: a typed FFI handler that calls a function of an untyped ABI, planned at compile
// time. Runs on every XLA that has FFI, jaxlib 0.4.30 to 0.12.0.1.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_EXPORTED_HANDLER_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_EXPORTED_HANDLER_H_

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <string>

#include "callbridge/adapters/exports/call_attributes.h"
#include "callbridge/adapters/exports/call_error.h"
#include "callbridge/adapters/exports/call_state.h"
#include "callbridge/adapters/exports/declared_handler.h"
#include "callbridge/adapters/exports/export_options.h"
#include "callbridge/adapters/exports/legacy_function.h"
#include "callbridge/adapters/exports/site_tables.h"
#include "callbridge/typed_ffi/runtime_versions.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// XLA_FFI_CallFrame without `future`, which old runtimes do not have.
inline constexpr size_t kCallFrameSize = 168;
inline constexpr size_t kStackPointers = 256;

// Answers a metadata query, a frame without a call. Returns false for any other frame.
inline bool AnswerMetadataQuery(const XLA_FFI_CallFrame& frame, uint32_t traits) {
  for (const auto* e = frame.extension_start; e != nullptr; e = e->next) {
    if (e->type != XLA_FFI_Extension_Metadata) continue;
    XLA_FFI_Metadata& metadata = *reinterpret_cast<const XLA_FFI_Metadata_Extension*>(e)->metadata;
    metadata.api_version = typed_ffi::VersionToReport(frame.api, 0);  // adapts to every runtime
    metadata.traits = traits;
    return true;
  }
  return false;
}

[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* RefuseFrame(const XLA_FFI_CallFrame& frame,
                                                               bool takes_state) {
  if (frame.struct_size < kCallFrameSize) {
    return InvalidArgument(*frame.api, "Unexpected XLA_FFI_CallFrame size: expected at least " +
                                           std::to_string(kCallFrameSize) + " got " +
                                           std::to_string(frame.struct_size) +
                                           ". Check installed software versions.");
  }
  const typed_ffi::RuntimeVersion& version = typed_ffi::VersionOf(*frame.api);
  std::string serves = "execute, which is number ";
  if (takes_state && version.instantiate != typed_ffi::kNoStage) {
    serves = "instantiate and execute, which are numbers " + std::to_string(version.instantiate) +
             " and ";
  }
  return InvalidArgument(*frame.api, "Wrong execution stage: this handler serves " + serves +
                                         std::to_string(version.execute) +
                                         " on this runtime, but was called at stage number " +
                                         std::to_string(static_cast<int>(frame.stage)));
}

[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* RefuseOtherThanBuffers(
    const XLA_FFI_CallFrame& frame) {
  return InvalidArgument(*frame.api, "expected arguments and results that are buffers");
}

[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* RefuseSite(const XLA_FFI_CallFrame& frame) {
  return InvalidArgument(*frame.api,
                         "the site descriptor is malformed, or declares other types or another "
                         "number of leaves than the call has");
}

inline XLA_FFI_Error* GetStream(const XLA_FFI_CallFrame& frame, void*& stream) {
  XLA_FFI_Stream_Get_Args args = {};
  args.struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE;
  args.ctx = frame.ctx;
  using Get = XLA_FFI_Error*(XLA_FFI_Stream_Get_Args*);
  XLA_FFI_Error* error = typed_ffi::FunctionAt<Get>(*frame.api, typed_ffi::VersionOf(*frame.api),
                                                    typed_ffi::ApiFunction::kStream)(&args);
  stream = args.stream;
  return error;
}

// Writes the data pointers of a call's buffers. Returns false if one of them is no buffer.
template <typename Type>
bool GatherPointers(int64_t size, const Type* types, void* const* buffers, void** pointers) {
  for (int64_t i = 0; i < size; ++i) {
    if (__builtin_expect(static_cast<int>(types[i]) != XLA_FFI_ArgType_BUFFER, false)) return false;
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(buffers[i]);
    // A token's data pointer is null on some runtimes and not on others; targets get null.
    pointers[i] = buffer.dtype == XLA_FFI_DataType_TOKEN ? nullptr : buffer.data;
  }
  return true;
}

// Calls a function without declared shapes: with arrays as the frame has them, or with the site
// descriptor's tuples.
template <typename Legacy>
struct UndeclaredHandler {
  // Attributes are passed by value, so that a call without them keeps none in memory.
  [[gnu::always_inline]] static XLA_FFI_Error* Call(const XLA_FFI_CallFrame& frame, void* stream,
                                                    void* state, CallAttributes attributes) {
    // Compares all three at once: kFew is a power of two, and a negative size is large.
    const size_t any_of_them = static_cast<size_t>(frame.args.size) |
                               static_cast<size_t>(frame.rets.size) | attributes.tree.size();
    if (__builtin_expect(any_of_them >= kFew, false)) {
      return CallMany(frame, stream, state, attributes);
    }
    void* block[3 * kFew];
    return CallWithBlock(block, frame, stream, state, attributes);
  }

 private:
  static constexpr size_t kFew = 64;  // a power of two

  [[gnu::noinline]] static XLA_FFI_Error* CallMany(const XLA_FFI_CallFrame& frame, void* stream,
                                                   void* state, CallAttributes attributes) {
    if (frame.args.size < 0 || frame.rets.size < 0) {
      return InvalidArgument(*frame.api, "expected arguments and results, got " +
                                             std::to_string(frame.args.size) + " and " +
                                             std::to_string(frame.rets.size) + " of them");
    }
    // A tree has more bytes than its tables have pointers.
    const size_t needed =
        static_cast<size_t>(frame.args.size + frame.rets.size) + attributes.tree.size();
    if (needed <= kStackPointers) {
      void* block[kStackPointers];
      return CallWithBlock(block, frame, stream, state, attributes);
    }
    const std::unique_ptr<void*[]> block(new void*[needed]);
    return CallWithBlock(block.get(), frame, stream, state, attributes);
  }

  [[gnu::always_inline]] static XLA_FFI_Error* CallWithBlock(void** block,
                                                             const XLA_FFI_CallFrame& frame,
                                                             void* stream, void* state,
                                                             CallAttributes attributes) {
    void** results = block + frame.args.size;
    if (!GatherPointers(frame.args.size, frame.args.types, frame.args.args, block) ||
        !GatherPointers(frame.rets.size, frame.rets.types, frame.rets.rets, results)) {
      return RefuseOtherThanBuffers(frame);
    }
    const char* opaque = attributes.opaque.data();
    const size_t opaque_size = attributes.opaque.size();
    if constexpr (Legacy::kGpu) {
      return Legacy::Call(*frame.api, state, stream, block, opaque, opaque_size);
    } else {
      if (__builtin_expect(attributes.tree.data() != nullptr, false)) {
        SiteTables tables(attributes.tree, results + frame.rets.size);
        if (!tables.Write({frame.args.args, frame.args.size}, {frame.rets.rets, frame.rets.size})) {
          return RefuseSite(frame);
        }
        return Legacy::Call(*frame.api, state, tables.result(), tables.operands(), opaque,
                            opaque_size);
      }
      void* out = frame.rets.size == 1 ? results[0] : results;
      return Legacy::Call(*frame.api, state, out, block, opaque, opaque_size);
    }
  }
};

// The handler of `function`. `Options::Get()` must be a constant ExportOptions.
template <auto function, typename Options>
struct ExportedHandler {
  static constexpr ExportOptions kOptions = Options::Get();
  using Legacy = LegacyFunction<function, Options>;

  [[gnu::always_inline]] static XLA_FFI_Error* Call(XLA_FFI_CallFrame* frame) {
    if (__builtin_expect(frame->struct_size < kCallFrameSize || frame->extension_start != nullptr ||
                             !typed_ffi::IsExecuteStage(*frame),
                         false)) {
      return CallOddFrame(*frame);
    }
    if (kReadsAttributes && frame->attrs.size != 0) return CallWithAttributes(*frame);
    return CallFunction(*frame, CallAttributes());
  }

 private:
  // A function of declared shapes that takes a state and no opaque needs the attributes only to
  // make the state.
  static constexpr bool kReadsAttributes =
      !Legacy::kTakesState || Legacy::kTakesOpaque || kOptions.shapes == nullptr;

  [[gnu::cold, gnu::noinline]] static XLA_FFI_Error* CallOddFrame(const XLA_FFI_CallFrame& frame) {
    if (frame.struct_size < kCallFrameSize) return RefuseFrame(frame, Legacy::kTakesState);
    if (AnswerMetadataQuery(frame, kOptions.traits)) return nullptr;
    if constexpr (Legacy::kTakesState) {
      if (IsInstantiateStage(frame)) return Instantiate(frame);
    }
    if (!typed_ffi::IsExecuteStage(frame)) return RefuseFrame(frame, Legacy::kTakesState);
    return CallWithAttributes(frame);
  }

  static XLA_FFI_Error* Instantiate(const XLA_FFI_CallFrame& frame) {
    CallAttributes attributes;
    if (auto* error = ReadAttributes(frame, kOptions.opaque_attribute, attributes)) return error;
    return CallState<typename Legacy::State>::Make(frame, kOptions.make_state, attributes.opaque);
  }

  [[gnu::noinline]] static XLA_FFI_Error* CallWithAttributes(const XLA_FFI_CallFrame& frame) {
    CallAttributes attributes;
    XLA_FFI_Error* error = ReadAttributes(frame, kOptions.opaque_attribute, attributes);
    return error != nullptr ? error : CallFunction(frame, attributes);
  }

  [[gnu::always_inline]] static XLA_FFI_Error* CallFunction(const XLA_FFI_CallFrame& frame,
                                                            CallAttributes attributes) {
    void* stream = nullptr;
    void* state = nullptr;
    if constexpr (Legacy::kGpu) {
      if (XLA_FFI_Error* error = GetStream(frame, stream)) return error;
    }
    if constexpr (Legacy::kTakesState) {
      XLA_FFI_Error* error = nullptr;
      state = CallState<typename Legacy::State>::Get(frame, error);
      if (__builtin_expect(state == nullptr, false)) return error;
    }
    if constexpr (kOptions.shapes != nullptr) {
      return DeclaredHandler<Legacy, Declared<Options, Legacy::kGpu>>::Call(
          frame, stream, state, attributes.opaque.data(), attributes.opaque.size());
    } else {
      return UndeclaredHandler<Legacy>::Call(frame, stream, state, attributes);
    }
  }
};

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_EXPORTED_HANDLER_H_
