// ExportOptions: what CALLBRIDGE_EXPORT and CALLBRIDGE_EXPORT_UNTYPED are told of a function beyond
// its type. A constant expression; each member function gives the options with one thing more.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_EXPORT_OPTIONS_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_EXPORT_OPTIONS_H_

#include <stdint.h>

#include "callbridge/typed_ffi/c_api.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

struct ExportOptions {
  const char* shapes = nullptr;
  const char* opaque_attribute = "opaque";
  bool gpu = false;
  bool flat_tuples = false;
  uint32_t traits = 0;

  // The operands and the result, as "f32[128], (f32[8],s32[?]) -> f32[128]"; see declared_call.h.
  // Calls of other types, ranks or sizes are refused, and tuples need no site descriptor.
  constexpr ExportOptions Shapes(const char* text) const {
    ExportOptions options = *this;
    options.shapes = text;
    return options;
  }
  // Which attribute holds the opaque of a function that takes one: a string or an array of uint8.
  // "opaque" where this is not said. A call without it has an empty opaque.
  constexpr ExportOptions OpaqueAttribute(const char* name) const {
    ExportOptions options = *this;
    options.opaque_attribute = name;
    return options;
  }
  // The function is one for GPU: void(stream, void** buffers, const char* opaque, size_t
  // opaque_len
  // [, XlaCustomCallStatus*]). Needed only where its type leaves that open, as when the stream is
  // a void*.
  constexpr ExportOptions Gpu() const {
    ExportOptions options = *this;
    options.gpu = true;
    return options;
  }
  // The function expects tuple operands as jaxlib >= 0.4.38 hands them over, one pointer a leaf,
  // and not as nested tables.
  constexpr ExportOptions FlatTuples() const {
    ExportOptions options = *this;
    options.flat_tuples = true;
    return options;
  }
  // XLA:GPU may record the call into a command buffer: the function only launches kernels on its
  // stream, and allocates nothing.
  constexpr ExportOptions CommandBufferCompatible() const {
    ExportOptions options = *this;
    options.traits |= XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
    return options;
  }
};

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_EXPORT_OPTIONS_H_
