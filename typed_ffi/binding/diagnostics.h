// xla::ffi::DiagnosticEngine, which collects the errors of a call, and InFlightDiagnostic, one of
// them that is being written. It converts to an empty optional of any type, so a decoding fails
// with
//
//   return diagnostic.Emit("Wrong shape: expected ") << n << " but got " << size;
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_DIAGNOSTICS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_DIAGNOSTICS_H_

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

class DiagnosticEngine;

// Writes to the engine at once, so that the engine must outlive it.
class InFlightDiagnostic {
 public:
  // Appends to the last diagnostic of `engine`.
  explicit InFlightDiagnostic(DiagnosticEngine* engine) : engine_(engine) {}
  InFlightDiagnostic(const InFlightDiagnostic&) = delete;
  InFlightDiagnostic& operator=(const InFlightDiagnostic&) = delete;

  // Appends text, numbers, and whatever else can be written to a std::ostream.
  template <typename T>
  InFlightDiagnostic& operator<<(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      Append(value);
    } else {
      std::ostringstream text;
      text << value;
      Append(text.str());
    }
    return *this;
  }

  // Returns nullopt, so that a Decode() ends with `return diagnostic.Emit(...);`.
  template <typename T>
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return std::nullopt;
  }

 private:
  void Append(std::string_view text);

  DiagnosticEngine* engine_;
};

// Costs a successful call two instructions: it is empty until something is emitted. Each diagnostic
// begins a new line.
class DiagnosticEngine {
 public:
  DiagnosticEngine() = default;
  DiagnosticEngine(const DiagnosticEngine&) = delete;
  DiagnosticEngine& operator=(const DiagnosticEngine&) = delete;
  ~DiagnosticEngine() {
    if (XLA_FFI_PREDICT_FALSE(said_ != nullptr)) Clear();
  }

  // Begins an error, to which `<<` appends.
  InFlightDiagnostic Emit(std::string_view message) {
    Begin(message);
    return InFlightDiagnostic(this);
  }

  // Reports what the runtime lacks, which is no fault of the call: the handler returns
  // UNIMPLEMENTED if there is no other error.
  InFlightDiagnostic EmitUnimplemented(std::string_view message) {
    Begin(message);
    said_->code = XLA_FFI_Error_Code_UNIMPLEMENTED;
    return InFlightDiagnostic(this);
  }

  // Returns all that was emitted.
  std::string Result() const& { return said_ == nullptr ? std::string() : said_->text; }
  // Same, and empties the engine.
  std::string Result() && {
    std::string text = said_ == nullptr ? std::string() : std::move(said_->text);
    Clear();
    return text;
  }

  // Returns INVALID_ARGUMENT, or UNIMPLEMENTED after EmitUnimplemented().
  XLA_FFI_Error_Code code() const {
    return said_ == nullptr ? XLA_FFI_Error_Code_INVALID_ARGUMENT : said_->code;
  }

 private:
  friend class InFlightDiagnostic;

  struct Said {
    std::string text;
    XLA_FFI_Error_Code code = XLA_FFI_Error_Code_INVALID_ARGUMENT;
  };

  CALLBRIDGE_FFI_COLD void Clear() {
    delete said_;
    said_ = nullptr;
  }

  CALLBRIDGE_FFI_COLD void Begin(std::string_view text) {
    if (said_ == nullptr) said_ = new Said();
    if (!said_->text.empty()) said_->text.push_back('\n');
    said_->text.append(text);
  }

  CALLBRIDGE_FFI_COLD void Append(std::string_view text) { said_->text.append(text); }

  Said* said_ = nullptr;
};

inline void InFlightDiagnostic::Append(std::string_view text) { engine_->Append(text); }

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_DIAGNOSTICS_H_
