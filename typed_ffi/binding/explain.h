// Explains why a value of a call is not what the handler's signature wants. Runs only in calls that
// fail.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_EXPLAIN_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_EXPLAIN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "callbridge/typed_ffi/binding/c_values.h"
#include "callbridge/typed_ffi/binding/data_type.h"
#include "callbridge/typed_ffi/binding/diagnostics.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/text.h"
#include "callbridge/typed_ffi/binding/wanted.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// Returns the index of the attribute `name`, -1 if there is none. Does not rely on the order, which
// may be wrong in such a call.
CALLBRIDGE_FFI_COLD inline int64_t FindByName(const XLA_FFI_Attrs& attrs, std::string_view name) {
  for (int64_t i = 0; i < attrs.size; ++i) {
    if (View(attrs.names[i]) == name) return i;
  }
  return -1;
}

// "expected 2 but got 3 with name(s): a, b, c"
CALLBRIDGE_FFI_COLD inline void AddExpectedCount(Text& text, size_t expected,
                                                 const XLA_FFI_Attrs& attrs) {
  text << "expected " << static_cast<int64_t>(expected) << " but got " << attrs.size;
  if (attrs.size > 0) text << " with name(s): " << attrs;
}

// Each of these writes all that is wrong with a value to `diagnostic`, and returns whether nothing
// is.

template <typename Wanted, typename Got>
bool ExplainOne(DiagnosticEngine& diagnostic, const char* what, Wanted wanted, Got got) {
  Text text;
  text << "Wrong " << what << ": expected " << wanted << " but got " << got;
  diagnostic.Emit(text.view());
  return false;
}

inline bool ExplainDataType(const char* what, DataType wanted, XLA_FFI_DataType got,
                            DiagnosticEngine& diagnostic) {
  return got == static_cast<XLA_FFI_DataType>(wanted) || ExplainOne(diagnostic, what, wanted, got);
}

CALLBRIDGE_FFI_COLD inline bool ExplainBuffer(const Wanted& wanted, const XLA_FFI_Buffer& buffer,
                                              DiagnosticEngine& diagnostic) {
  const bool dtype = wanted.dtype == DataType::INVALID ||
                     ExplainDataType("buffer dtype", wanted.dtype, buffer.dtype, diagnostic);
  const int64_t rank = static_cast<int64_t>(wanted.number);
  if (wanted.number == kDynamicRank || buffer.rank == rank) return dtype;
  return ExplainOne(diagnostic, "buffer rank", rank, buffer.rank);
}

CALLBRIDGE_FFI_COLD inline bool ExplainArg(const Wanted& wanted, XLA_FFI_ArgType type, void* value,
                                           DiagnosticEngine& diagnostic) {
  if (wanted.kind == Wanted::Kind::kDecoded) return wanted.decodes(type, value, diagnostic);
  if (type != XLA_FFI_ArgType_BUFFER) {
    return ExplainOne(diagnostic, "argument type", XLA_FFI_ArgType_BUFFER, type);
  }
  return ExplainBuffer(wanted, *static_cast<const XLA_FFI_Buffer*>(value), diagnostic);
}

CALLBRIDGE_FFI_COLD inline bool ExplainRet(const Wanted& wanted, XLA_FFI_RetType type, void* value,
                                           DiagnosticEngine& diagnostic) {
  if (wanted.kind == Wanted::Kind::kDecoded) return wanted.decodes(type, value, diagnostic);
  if (type != XLA_FFI_RetType_BUFFER) {
    return ExplainOne(diagnostic, "result type", XLA_FFI_RetType_BUFFER, type);
  }
  return ExplainBuffer(wanted, *static_cast<const XLA_FFI_Buffer*>(value), diagnostic);
}

CALLBRIDGE_FFI_HIDDEN inline bool ExplainMembers(const Wanted& wanted, const XLA_FFI_Attrs& attrs,
                                                 DiagnosticEngine& diagnostic);

// The type of attribute that `kind` wants.
constexpr XLA_FFI_AttrType AttrTypeOf(Wanted::Kind kind) {
  switch (kind) {
    case Wanted::Kind::kScalar:
      return XLA_FFI_AttrType_SCALAR;
    case Wanted::Kind::kArray:
      return XLA_FFI_AttrType_ARRAY;
    case Wanted::Kind::kString:
      return XLA_FFI_AttrType_STRING;
    default:
      return XLA_FFI_AttrType_DICTIONARY;
  }
}

CALLBRIDGE_FFI_COLD inline bool ExplainAttr(const Wanted& wanted, XLA_FFI_AttrType type,
                                            void* value, DiagnosticEngine& diagnostic) {
  if (wanted.kind == Wanted::Kind::kDecoded) return wanted.decodes(type, value, diagnostic);
  if (type != AttrTypeOf(wanted.kind)) {
    return ExplainOne(diagnostic, "attribute type", AttrTypeOf(wanted.kind), type);
  }
  switch (wanted.kind) {
    case Wanted::Kind::kScalar:
      return ExplainDataType("scalar data type", wanted.dtype,
                             static_cast<const XLA_FFI_Scalar*>(value)->dtype, diagnostic);
    case Wanted::Kind::kArray:
      return ExplainDataType("array data type", wanted.dtype,
                             static_cast<const XLA_FFI_Array*>(value)->dtype, diagnostic);
    case Wanted::Kind::kStruct:
      return ExplainMembers(wanted, *static_cast<const XLA_FFI_Attrs*>(value), diagnostic);
    default:
      return true;
  }
}

inline bool ExplainMembers(const Wanted& wanted, const XLA_FFI_Attrs& attrs,
                           DiagnosticEngine& diagnostic) {
  bool fits = attrs.size == static_cast<int64_t>(wanted.number);
  if (!fits) {
    Text text;
    AddExpectedCount(text << "Wrong number of attributes: ", wanted.number, attrs);
    diagnostic.Emit(text.view());
  }
  for (size_t i = 0; i < wanted.number; ++i) {
    const Member& member = wanted.members[i];
    const int64_t at = FindByName(attrs, member.name);
    DiagnosticEngine own;
    Text text;
    if (at < 0) {
      text << "Unexpected attribute: " << member.name << " not found";
    } else if (ExplainAttr(member.wanted, attrs.types[at], attrs.attrs[at], own)) {
      continue;
    } else {
      text << "member " << member.name << ": " << own.Result();
    }
    diagnostic.Emit(text.view());
    fits = false;
  }
  return fits;
}

CALLBRIDGE_FFI_COLD inline void ExplainNoVariant(XLA_FFI_AttrType type, const void* value,
                                                 DiagnosticEngine& diagnostic) {
  Text text;
  text << "Wrong attribute type: it doesn't match any of the variant types: " << type;
  if (type == XLA_FFI_AttrType_SCALAR) {
    text << " " << static_cast<const XLA_FFI_Scalar*>(value)->dtype;
  } else if (type == XLA_FFI_AttrType_ARRAY) {
    text << " " << static_cast<const XLA_FFI_Array*>(value)->dtype;
  }
  diagnostic.Emit(text.view());
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_EXPLAIN_H_
