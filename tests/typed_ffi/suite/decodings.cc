// Decodings of the user's own, for arguments, results, attributes, contexts and what is returned.
#include <optional>
#include <string>
#include <string_view>

#include "suite.h"

// A vector of floats, the first and last of which matter.
struct Ends {
  float first, last;
};
struct Cell {
  float* at;
};
// Text of at most eight characters.
struct Tag {
  std::string text;
};
struct Lower {};  // decodes into Tag
struct WhoCalls {
  bool has_api;
};
#if SUITE_HEADERS >= 1102
using CallContext = XLA_FFI_InvokeContext;
#else
using CallContext = XLA_FFI_ExecutionContext;
#endif
struct Outcome {
  bool good;
};

namespace xla::ffi {

template <>
struct ArgDecoding<Ends> {
  static bool Isa(XLA_FFI_ArgType type, void*) { return type == XLA_FFI_ArgType_BUFFER; }
  static std::optional<Ends> Decode(XLA_FFI_ArgType, void* arg, DiagnosticEngine& diagnostic) {
    auto* buffer = static_cast<XLA_FFI_Buffer*>(arg);
    if (buffer->rank != 1 || buffer->dims[0] == 0) {
      return diagnostic.Emit("Ends wants a vector, not rank ") << buffer->rank;
    }
    auto* data = static_cast<float*>(buffer->data);
    return Ends{data[0], data[buffer->dims[0] - 1]};
  }
};

template <>
struct RetDecoding<Cell> {
  static bool Isa(XLA_FFI_RetType type, void*) { return type == XLA_FFI_RetType_BUFFER; }
  static std::optional<Result<Cell>> Decode(XLA_FFI_RetType, void* ret, DiagnosticEngine&) {
    return Result<Cell>(Cell{static_cast<float*>(static_cast<XLA_FFI_Buffer*>(ret)->data)});
  }
};

template <>
struct ArgBinding<Ends> {
  using Arg = Ends;
};

template <>
struct AttrDecoding<Lower> {
  using Type = Tag;
  static std::optional<Tag> Decode(XLA_FFI_AttrType type, void* attr,
                                   DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_STRING) return diagnostic.Emit("a tag is a string");
    auto* span = static_cast<XLA_FFI_ByteSpan*>(attr);
    if (span->len > 8) return diagnostic.Emit("a tag has at most 8 characters, not ") << span->len;
    return Tag{std::string(span->ptr, span->len)};
  }
};

template <>
struct CtxDecoding<WhoCalls> {
  using Type = WhoCalls;
  static std::optional<WhoCalls> Decode(const XLA_FFI_Api* api, CallContext*, DiagnosticEngine&) {
    return WhoCalls{api != nullptr};
  }
};

#if SUITE_HEADERS >= 431
template <ExecutionStage stage>
struct ResultEncoding<stage, Outcome> {
  static XLA_FFI_Error* Encode(const XLA_FFI_Api* api, CallContext*, Outcome outcome) {
    if (outcome.good) return nullptr;
    XLA_FFI_Error_Create_Args args = {};
    args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
    args.message = "the outcome is bad";
    args.errc = XLA_FFI_Error_Code_PERMISSION_DENIED;
    return api->XLA_FFI_Error_Create(&args);
  }
};
#endif

}  // namespace xla::ffi

namespace {

ffi::Error Decoded(Ends ends, ffi::Result<Cell> cell, Tag tag, WhoCalls caller) {
  *cell->at =
      ends.first + ends.last + static_cast<float>(tag.text.size()) + (caller.has_api ? 0.5f : 0.0f);
  return Ok();
}

ffi::Error DecodedByType(Ends ends, ffi::Result<F32> out) {
  Write(*out, {ends.first, ends.last});
  return Ok();
}

#if SUITE_HEADERS >= 431
Outcome Judge(F32 a, ffi::Result<F32> out) {
  Fill(*out, 5);
  return Outcome{Data(a)[0] > 0};
}
#endif

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    user_decodings, Decoded,
    ffi::Ffi::Bind().Arg<Ends>().Ret<Cell>().Attr<Lower>("tag").Ctx<WhoCalls>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(user_decoding_bound_to, DecodedByType);
#if SUITE_HEADERS >= 431
XLA_FFI_DEFINE_HANDLER_SYMBOL(user_encoding, Judge, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
#endif
