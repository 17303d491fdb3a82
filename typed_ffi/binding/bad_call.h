// What a handler does in other calls than those that it expects: it answers the metadata query, and
// reports all that is wrong with a call in one error.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_BAD_CALL_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_BAD_CALL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/c_values.h"
#include "callbridge/typed_ffi/binding/explain.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/binding/signature.h"
#include "callbridge/typed_ffi/binding/text.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// Returns null if there is no API to make an error with, as in the metadata query before 0.2.
CALLBRIDGE_FFI_COLD inline XLA_FFI_Error* InvalidArgument(const XLA_FFI_Api* api,
                                                          const Text& message) {
  if (api == nullptr) return nullptr;
  return CreateError(api, ErrorCode::kInvalidArgument, message.c_str());
}

CALLBRIDGE_FFI_COLD inline XLA_FFI_Error* TooSmall(const XLA_FFI_Api* api, const char* what,
                                                   size_t expected, size_t got) {
  Text text;
  text << "Unexpected " << what << " size: expected at least " << static_cast<int64_t>(expected)
       << " got " << static_cast<int64_t>(got) << ". Check installed software versions.";
  return InvalidArgument(api, text);
}

// ---- The metadata query -------------------------------------------------------------------------

// Reports the lowest API version that the handler needs, at most the runtime's own, which refuses
// newer ones. What the runtime lacks is an error of the call then.
CALLBRIDGE_FFI_COLD inline XLA_FFI_Error* AnswerMetadata(
    const XLA_FFI_Api* api, const XLA_FFI_Metadata_Extension& extension, const Signature& signature,
    XLA_FFI_Handler_Traits traits) {
  if (extension.extension_base.struct_size < XLA_FFI_Metadata_Extension_STRUCT_SIZE) {
    return TooSmall(api, "XLA_FFI_Metadata_Extension", XLA_FFI_Metadata_Extension_STRUCT_SIZE,
                    extension.extension_base.struct_size);
  }
  XLA_FFI_Metadata& metadata = *extension.metadata;
  if (metadata.struct_size < XLA_FFI_Metadata_STRUCT_SIZE) {
    return TooSmall(api, "XLA_FFI_Metadata", XLA_FFI_Metadata_STRUCT_SIZE, metadata.struct_size);
  }

  metadata.api_version = ::callbridge::typed_ffi::VersionToReport(api, signature.minor_version);
  metadata.traits = traits;
  // What callbridge provides where XLA does not.
  if (signature.takes_device_ordinal && ::callbridge::typed_ffi::IsProbe(api)) {
    metadata.traits |= ::callbridge::typed_ffi::kTakesDeviceOrdinal;
  }

  if (api == nullptr || VersionOf(*api).metadata_size < sizeof(XLA_FFI_Metadata)) return nullptr;
  metadata.state_type_id = XLA_FFI_UNKNOWN_TYPE_ID;
  if (signature.state_type_id == nullptr) return nullptr;
  metadata.state_type_id = signature.state_type_id(api);
  if (metadata.state_type_id != XLA_FFI_UNKNOWN_TYPE_ID) return nullptr;
  return CreateError(
      api, ErrorCode::kFailedPrecondition,
      "Types used by FFI handlers must be registered before the handler registration");
}

// ---- Calls --------------------------------------------------------------------------------------

// Returns the name of the stage that has a number on the runtime; null if none has it.
inline const char* NameOfStage(const RuntimeVersion& version, int stage) {
  if (stage < 0) return nullptr;
  if (stage == version.instantiate) return "instantiate";
  if (stage == version.prepare) return "prepare";
  if (stage == version.initialize) return "initialize";
  if (stage == version.execute) return "execute";
  if (stage == version.record) return "record";
  return nullptr;
}

inline int NumberOfStage(const RuntimeVersion& version, XLA_FFI_ExecutionStage stage) {
  switch (stage) {
    case XLA_FFI_ExecutionStage_INSTANTIATE:
      return version.instantiate;
    case XLA_FFI_ExecutionStage_PREPARE:
      return version.prepare;
    case XLA_FFI_ExecutionStage_INITIALIZE:
      return version.initialize;
    case XLA_FFI_ExecutionStage_EXECUTE:
      return version.execute;
    case XLA_FFI_ExecutionStage_RECORD:
      return version.record;
  }
  return ::callbridge::typed_ffi::kNoStage;
}

// Returns whether a frame that is not plainly a call at today's execute stage is a call of the
// handler. If not, writes what the handler must return to `answer`.
CALLBRIDGE_FFI_COLD inline bool IsCall(const XLA_FFI_CallFrame& frame, const Signature& signature,
                                       XLA_FFI_Handler_Traits traits, XLA_FFI_Error*& answer) {
  answer = nullptr;
  if (frame.struct_size < XLA_FFI_CallFrame_STRUCT_SIZE) {
    answer =
        TooSmall(frame.api, "XLA_FFI_CallFrame", XLA_FFI_CallFrame_STRUCT_SIZE, frame.struct_size);
    return false;
  }
  for (const XLA_FFI_InternalExtension* extension = frame.extension_start; extension != nullptr;
       extension = extension->next) {
    if (extension->type != XLA_FFI_Extension_Metadata) continue;
    answer =
        AnswerMetadata(frame.api, *reinterpret_cast<const XLA_FFI_Metadata_Extension*>(extension),
                       signature, traits);
    return false;
  }
  const RuntimeVersion& version = VersionOf(*frame.api);
  if (frame.stage == NumberOfStage(version, signature.stage)) return true;
  Text text;
  text << "Wrong execution stage: expected `" << signature.stage << "` but got `";
  if (const char* got = NameOfStage(version, frame.stage)) {
    text << got << "`";
  } else {
    text << int64_t{frame.stage} << "`";
  }
  answer = InvalidArgument(frame.api, text);
  return false;
}

// The outcome of a parameter that had to be decoded.
struct Decoded {
  bool is_decoded;
  const DiagnosticEngine* diagnostic;  // null for a parameter that needs no decoding
};

// Collects all that is wrong with a call in one message.
class BadCall {
 public:
  // `names` are those of the attributes that are parameters, of which `unique_names` differ.
  // `decoded` has one element for each operand, or is null if nothing has been decoded.
  BadCall(const XLA_FFI_CallFrame& frame, const Signature& signature, const std::string_view* names,
          size_t unique_names, const Decoded* decoded)
      : frame_(frame), signature_(signature), names_(names), decoded_(decoded) {
    args_fit_ = CheckCount("arguments", Role::kArg, Role::kOptionalArg, Role::kRemainingArgs,
                           frame.args.size);
    rets_fit_ = CheckCount("results", Role::kRet, Role::kOptionalRet, Role::kRemainingRets,
                           frame.rets.size);
    if (unique_names > 0 && frame.attrs.size != static_cast<int64_t>(unique_names)) {
      AddExpectedCount(NewCount("attributes"), unique_names, frame.attrs);
    }
    for (size_t i = 0; i < signature.operand_count; ++i) CheckOperand(i);
  }

  XLA_FFI_Error* Report() const {
    Text text;
    text << "[" << signature_.stage << "] " << counts_.view();
    if (!bad_.empty()) {
      text << (counts_.empty() ? "" : "\n")
           << "Failed to decode all FFI handler operands (bad operands at: " << bad_.view()
           << ")\nDiagnostics:" << details_.view();
    }
    const bool unimplemented = all_unimplemented_ && counts_.empty();
    return CreateError(frame_.api,
                       unimplemented ? ErrorCode::kUnimplemented : ErrorCode::kInvalidArgument,
                       text.c_str());
  }

 private:
  int64_t Count(Role role) const {
    int64_t count = 0;
    for (size_t i = 0; i < signature_.operand_count; ++i) {
      count += signature_.operands[i].role == role;
    }
    return count;
  }

  Text& NewCount(const char* what) {
    return counts_ << (counts_.empty() ? "" : "\n") << "Wrong number of " << what << ": ";
  }

  // A handler without parameters for arguments, or for results, accepts any number of them.
  bool CheckCount(const char* what, Role required, Role optional, Role remaining, int64_t size) {
    const int64_t expected = Count(required);
    const bool at_least = Count(optional) + Count(remaining) > 0;
    if (at_least ? size >= expected : size == expected || expected == 0) return true;
    NewCount(what) << "expected " << (at_least ? "at least " : "") << expected << " but got "
                   << size;
    return false;
  }

  // `place` is a text such as "argument 0: ".
  void AddBad(size_t i, const Text& place, const DiagnosticEngine& diagnostic) {
    bad_ << (bad_.empty() ? "" : ", ") << static_cast<int64_t>(i);
    const std::string why = diagnostic.Result();
    details_ << "\n" << place.view() << (why.empty() ? "cannot be decoded" : why.c_str());
    all_unimplemented_ =
        all_unimplemented_ && diagnostic.code() == XLA_FFI_Error_Code_UNIMPLEMENTED;
  }

  void CheckOperand(size_t i) {
    Text place;
    if (decoded_ != nullptr && decoded_[i].diagnostic != nullptr) {
      Locate(i, place);
      if (!decoded_[i].is_decoded) AddBad(i, place, *decoded_[i].diagnostic);
      return;
    }
    const int64_t at = Locate(i, place);
    DiagnosticEngine diagnostic;
    if (!Explain(signature_.operands[i], at, diagnostic)) AddBad(i, place, diagnostic);
  }

  // Returns the index of operand `i` in its list, -1 if the call does not have it. Must be called
  // for the operands in order.
  int64_t Locate(size_t i, Text& place) {
    switch (signature_.operands[i].role) {
      case Role::kArg:
      case Role::kOptionalArg:
        place << "argument " << args_ << ": ";
        return args_fit_ && args_ < frame_.args.size ? args_++ : -1;
      case Role::kRet:
      case Role::kOptionalRet:
        place << "result " << rets_ << ": ";
        return rets_fit_ && rets_ < frame_.rets.size ? rets_++ : -1;
      case Role::kAttr:
        place << "attribute " << names_[attrs_] << ": ";
        return FindByName(frame_.attrs, names_[attrs_++]);
      case Role::kAttrs:
        place << "attributes: ";
        return 0;
      default:
        return 0;
    }
  }

  bool Explain(const Operand& operand, int64_t at, DiagnosticEngine& diagnostic) const {
    const Wanted& wanted = operand.wanted;
    switch (operand.role) {
      case Role::kArg:
      case Role::kOptionalArg:
        return at < 0 ||
               ExplainArg(wanted, frame_.args.types[at], frame_.args.args[at], diagnostic);
      case Role::kRet:
      case Role::kOptionalRet:
        return at < 0 ||
               ExplainRet(wanted, frame_.rets.types[at], frame_.rets.rets[at], diagnostic);
      case Role::kAttr:
        if (at < 0) {
          Text names;
          names << frame_.attrs;
          diagnostic.Emit("Attribute name mismatch: not found among ") << names.view();
        }
        return at >= 0 &&
               ExplainAttr(wanted, frame_.attrs.types[at], frame_.attrs.attrs[at], diagnostic);
      case Role::kAttrs:
        return ExplainAttr(wanted, XLA_FFI_AttrType_DICTIONARY,
                           const_cast<XLA_FFI_Attrs*>(&frame_.attrs), diagnostic);
      case Role::kCtx:
        return wanted.decodes(0, const_cast<XLA_FFI_CallFrame*>(&frame_), diagnostic);
      case Role::kRemainingArgs:
      case Role::kRemainingRets:
        return true;
    }
    return true;
  }

  const XLA_FFI_CallFrame& frame_;
  const Signature& signature_;
  const std::string_view* names_;
  const Decoded* decoded_;
  bool args_fit_ = false;
  bool rets_fit_ = false;
  int64_t args_ = 0;  // how many of them have been checked
  int64_t rets_ = 0;
  size_t attrs_ = 0;
  Text counts_;
  Text bad_;
  Text details_;
  bool all_unimplemented_ = true;
};

CALLBRIDGE_FFI_COLD inline XLA_FFI_Error* ReportBadCall(const XLA_FFI_CallFrame& frame,
                                                        const Signature& signature,
                                                        const std::string_view* names,
                                                        size_t unique_names,
                                                        const Decoded* decoded) {
  return BadCall(frame, signature, names, unique_names, decoded).Report();
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_BAD_CALL_H_
