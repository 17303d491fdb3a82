// ExportOptions: the options of CALLBRIDGE_EXPORT and CALLBRIDGE_EXPORT_UNTYPED. A constant
// expression; each member function returns a copy with one option more.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_EXPORT_OPTIONS_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_EXPORT_OPTIONS_H_

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <type_traits>

#include "callbridge/typed_ffi/c_api.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// Its address identifies the type in constant expressions.
template <typename T>
inline constexpr char kTypeTag = 0;

// The `make` of ExportOptions::State(), without the type of its state.
template <auto make, typename Function = decltype(make)>
struct StateMaker {
  static_assert(std::is_void_v<Function>,
                "State<make>(): expected a function std::unique_ptr<T> make(const char* opaque, "
                "size_t opaque_len), T being the type of the state");
  static constexpr const char* kType = &kTypeTag<void>;
  static void* Make(const char* opaque, size_t opaque_len);
};
template <auto make, typename T>
struct StateMaker<make, std::unique_ptr<T> (*)(const char*, size_t)> {
  static constexpr const char* kType = &kTypeTag<T>;
  static void* Make(const char* opaque, size_t opaque_len) {
    return make(opaque, opaque_len).release();
  }
};
template <auto make, typename T>
struct StateMaker<make, std::unique_ptr<T> (*)(const char*, size_t) noexcept>
    : StateMaker<make, std::unique_ptr<T> (*)(const char*, size_t)> {};

}  // namespace exports

// The options of one CALLBRIDGE_EXPORT. Set them by the functions; the fields are for the macros.
struct ExportOptions {
  const char* shapes = nullptr;             // null: not declared
  const char* opaque_attribute = "opaque";  // its name
  bool gpu = false;                         // whether it is declared for GPU
  bool flat_tuples = false;                 // whether tuples are passed as leaves
  uint32_t traits = 0;                      // XLA_FFI_HANDLER_TRAITS_*
  bool has_state = false;                   // whether State() was called
  const char* state_type = nullptr;         // &exports::kTypeTag<T>
  // Calls State()'s `make`; returns a state that the handler owns, or null.
  void* (*make_state)(const char* opaque, size_t opaque_len) = nullptr;

  // Declares the operands and the result, as "f32[128], (f32[8],s32[?]) -> f32[128]"; see
  // declared_call.h. The handler then returns INVALID_ARGUMENT for other types, ranks or sizes, and
  // tuples need no site descriptor.
  constexpr ExportOptions Shapes(const char* text) const {
    ExportOptions options = *this;
    options.shapes = text;
    return options;
  }
  // Names the attribute that holds the opaque, a string or an array of uint8; "opaque" by default.
  // A call without the attribute has an empty opaque.
  constexpr ExportOptions OpaqueAttribute(const char* name) const {
    ExportOptions options = *this;
    options.opaque_attribute = name;
    return options;
  }
  // Declares a function for GPU. Needed only if its type does not say so, such as when the stream
  // is a void*:
  // clang-format off
  //   void(stream, void** buffers, const char* opaque, size_t opaque_len [, XlaCustomCallStatus*])
  // clang-format on
  constexpr ExportOptions Gpu() const {
    ExportOptions options = *this;
    options.gpu = true;
    return options;
  }
  // Passes tuples as jaxlib >= 0.4.38 does: `in` has one pointer for each leaf of the operands, and
  // `out` of a tuple is one table of its leaves, without nested tables.
  constexpr ExportOptions FlatTuples() const {
    ExportOptions options = *this;
    options.flat_tuples = true;
    return options;
  }
  // Keeps a state for each call site of a program, the function's first parameter:
  // void(T& state, void* out, const void** in, ...), or const T&. `make` makes it once from the
  // call's opaque: std::unique_ptr<T>(const char* opaque, size_t opaque_len). It may throw, or
  // return null to refuse. The runtime deletes the state with the program; concurrent runs of a
  // program share it. Register the handler for both of its stages, {"instantiate": handler,
  // "execute": handler}; the type needs no registration.
  template <auto make>
  constexpr ExportOptions State() const {
    ExportOptions options = *this;
    options.has_state = true;
    options.state_type = exports::StateMaker<make>::kType;
    options.make_state = &exports::StateMaker<make>::Make;
    return options;
  }
  // Lets XLA:GPU record the call into a command buffer: the function only launches kernels on its
  // stream and does not allocate.
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
