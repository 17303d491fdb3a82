// callbridge.hpp: the C++17 form of callbridge.h: handles that free themselves, lists as spans, and
// errors as results or exceptions, as the caller likes.
//
//   using callbridge::Call, callbridge::Library, callbridge::Site, callbridge::Target;
//   Library library = Library::Load("old.so").value();
//   Target add = library.Find("add").value();
//   Site site;
//   site.operands = {"f32[3]", "f32[3]"};
//   site.result = "f32[3]";
//   Call call = Call::Bind(add, site).value();
//   void* operands[] = {x, y};
//   void* results[] = {z};
//   if (auto done = call.Execute(operands, results); !done) std::cerr << done.error().ToString();
//
// Errors: each function that can fail returns a Result. value() throws an Exception if there is an
// error; ok() and error() need no exceptions, and the header compiles with -fno-exceptions. The
// errors are those that callbridge.h lists for the C function of the same name, and
// INVALID_ARGUMENT if a name, path, shape or release holds a NUL. Allocations of the header itself
// (strings, lists) throw std::bad_alloc.
//
// Ownership: handles own what they name and are movable. A function that gets a handle that was
// moved from returns INVALID_ARGUMENT. Everything else is borrowed until the function returns,
// unless its comment says more.
//
// Threads: const members of one object may be called by several threads at once.
//
// Header-only, standard library alone. Link to libcallbridge.so.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_HPP_
#define CALLBRIDGE_C_API_CALLBRIDGE_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "callbridge/c_api/attribute_values.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/callbridge_operator_info.h"
#include "callbridge/c_api/device.h"
#include "callbridge/c_api/library.h"
#include "callbridge/c_api/result.h"

namespace callbridge {
inline namespace cpp_v1 {

// ---- Call sites ---------------------------------------------------------------------------------

// The attributes of a call of a typed target.
class Attributes {
 public:
  // Makes an empty dictionary.
  static Result<Attributes> Create() {
    callbridge_ffi_attributes* made = nullptr;
    if (callbridge_error* error = callbridge_ffi_attributes_create(&made)) return Error(error);
    return Attributes(made);
  }

  // Sets `name` to a number, a bool, a complex number, a text, a vector of numbers, or a dictionary
  // (another Attributes, which is copied), in place of an earlier value. The C++ type decides the
  // attribute's: 3 is an s32, int64_t{3} an s64.
  template <typename T>
  Result<void> Set(const std::string& name, const T& value) {
    if constexpr (std::is_same_v<T, Attributes>) {
      const callbridge_ffi_attributes* const dictionary = value.get();
      return ToResult(c_form::SetAttribute(handle_.get(), name, dictionary));
    } else {
      return ToResult(c_form::SetAttribute(handle_.get(), name, value));
    }
  }

  // Returns the C API's handle, which this object owns; null after a move.
  callbridge_ffi_attributes* get() const { return handle_.get(); }

 private:
  explicit Attributes(callbridge_ffi_attributes* attributes) : handle_(attributes) {}

  std::unique_ptr<callbridge_ffi_attributes, Destroyer<&callbridge_ffi_attributes_destroy>> handle_;
};

// What the author of a target declares of its calls.
class OperatorInfo {
 public:
  // Reads the JSON text of what MindSpore's CustomRegOp(...).get_op_info() returns.
  static Result<OperatorInfo> Parse(std::string_view json) {
    callbridge_operator_info* made = nullptr;
    if (callbridge_error* error =
            callbridge_operator_info_create(json.data(), json.size(), &made)) {
      return Error(error);
    }
    return OperatorInfo(made);
  }

  // Returns the C API's handle, which this object owns; null after a move.
  callbridge_operator_info* get() const { return handle_.get(); }

 private:
  explicit OperatorInfo(callbridge_operator_info* info) : handle_(info) {}

  std::unique_ptr<callbridge_operator_info, Destroyer<&callbridge_operator_info_destroy>> handle_;
};

// A call as it is known when the program around it is compiled.
struct Site {
  std::vector<std::string> operands;  // their shapes, "f32[8,4]", "(f32[32],(f32[64],f32[128]))"
  std::string result = "()";          // its shape; a tuple for several results
  int32_t tuple_layout = CALLBRIDGE_TUPLE_LAYOUT_NESTED;  // for untyped targets
  std::string opaque;                                     // any bytes; for untyped targets
  const Attributes* attributes = nullptr;                 // for typed targets; borrowed
  std::string release;                          // for typed targets: as in callbridge_site
  const OperatorInfo* operator_info = nullptr;  // what the call is checked against; borrowed
  int64_t scratch_bytes = 0;                    // for typed targets: as in callbridge_site
};

// ---- C structs, for functions of the C API that this header does not wrap

// Returns the C struct of `target`, to whose texts it refers.
inline callbridge_target ToC(const Target& target) {
  callbridge_target c_target = {};
  c_target.struct_size = sizeof(c_target);
  c_target.name = target.name.c_str();
  c_target.platform = target.platform.c_str();
  c_target.api_version = target.api_version;
  c_target.api_version_is_proved = target.api_version_is_proved ? 1 : 0;
  c_target.address = target.address;
  c_target.instantiate = target.instantiate;
  c_target.prepare = target.prepare;
  c_target.initialize = target.initialize;
  c_target.record = target.record;
  c_target.command_buffer_compatible = target.command_buffer_compatible ? 1 : 0;
  return c_target;
}

// Holds the C struct of a site, to whose texts it refers.
class CSite {
 public:
  // Borrows `site`, which must outlive this object.
  explicit CSite(const Site& site) {
    for (const std::string& operand : site.operands) operands_.push_back(operand.c_str());
    struct_.struct_size = sizeof(struct_);
    struct_.tuple_layout = site.tuple_layout;
    struct_.operands = operands_.data();
    struct_.operand_count = operands_.size();
    struct_.result = site.result.c_str();
    struct_.opaque = site.opaque.data();
    struct_.opaque_size = site.opaque.size();
    struct_.attributes = site.attributes != nullptr ? site.attributes->get() : nullptr;
    struct_.release = site.release.c_str();
    struct_.operator_info = site.operator_info != nullptr ? site.operator_info->get() : nullptr;
    struct_.scratch_bytes = site.scratch_bytes;
  }
  CSite(const CSite&) = delete;
  CSite& operator=(const CSite&) = delete;

  // Valid as long as this object and the site.
  const callbridge_site* get() const { return &struct_; }

 private:
  std::vector<const char*> operands_;
  callbridge_site struct_ = {};
};

// Returns null, or INVALID_ARGUMENT if a text holds a NUL, at which the C API would cut it, or the
// operator information was moved from. The caller owns the error.
inline callbridge_error* CheckTexts(const Target& target) {
  callbridge_error* error = c_form::CheckNoNul("a target's name", target.name);
  return error != nullptr ? error : c_form::CheckNoNul("a platform", target.platform);
}
inline callbridge_error* CheckTexts(const Site& site) {
  if (site.operator_info != nullptr && site.operator_info->get() == nullptr) {
    constexpr std::string_view kMessage = "Site::operator_info was moved from";
    return callbridge_error_create(c_form::kInvalidArgument, kMessage.data(), kMessage.size());
  }
  for (const std::string& operand : site.operands) {
    if (callbridge_error* error = c_form::CheckNoNul("a shape", operand)) return error;
  }
  callbridge_error* error = c_form::CheckNoNul("a shape", site.result);
  return error != nullptr ? error : c_form::CheckNoNul("a release", site.release);
}
inline callbridge_error* CheckTexts(const Target& target, const Site& site) {
  callbridge_error* error = CheckTexts(target);
  return error != nullptr ? error : CheckTexts(site);
}

// Returns the bytes that stand for a call site in a runtime: as in callbridge_site_encode.
inline Result<std::string> EncodeSite(const Site& site) {
  if (callbridge_error* error = CheckTexts(site)) return Error(error);
  char* bytes = nullptr;
  size_t size = 0;
  if (callbridge_error* error = callbridge_site_encode(CSite(site).get(), &bytes, &size)) {
    return Error(error);
  }
  const std::unique_ptr<char, Destroyer<&callbridge_bytes_free>> owned(bytes);
  return std::string(bytes, size);
}

// ---- Calls --------------------------------------------------------------------------------------

// What the caller provides to a target. Borrows what it points to until the run is over.
struct Context {
  void* stream = nullptr;                                 // for GPU targets
  const callbridge_runtime_services* services = nullptr;  // for typed targets
  bool as_xla_cpu = false;                                // as in callbridge_execution_context
  bool keeps_floating_point = false;                      // likewise
  const callbridge_device* device = nullptr;              // for "CUDA" targets: Device::get()
  bool synchronizes = false;                              // as in callbridge_execution_context

  // Returns the C struct, which borrows the same.
  callbridge_execution_context ToC() const {
    return {sizeof(callbridge_execution_context),
            stream,
            services,
            as_xla_cpu ? 1 : 0,
            keeps_floating_point ? 1 : 0,
            device,
            synchronizes ? 1 : 0};
  }
};

// Checks a call against its operator information without binding it, for one that a runtime makes:
// as in callbridge_operator_info_check.
inline Result<void> CheckOperator(const Target& target, const Site& site) {
  if (callbridge_error* error = CheckTexts(target, site)) return Error(error);
  const callbridge_target c_target = ToC(target);
  return ToResult(callbridge_operator_info_check(&c_target, CSite(site).get()));
}

// A run that Call::Start() started. The destructor neither ends the run nor waits for it.
class Run {
 public:
  // Waits until the run is over. Returns how it ended, in every call.
  Result<void> Wait() const { return ToResult(callbridge_run_wait(handle_.get(), -1)); }
  // Waits for at most `timeout`, rounded up to milliseconds. Returns DEADLINE_EXCEEDED if the run
  // is not over; the handler may still use the buffers then.
  template <typename Number, typename Unit>
  Result<void> Wait(std::chrono::duration<Number, Unit> timeout) const {
    using std::chrono::milliseconds;
    using Rough = std::chrono::duration<double, std::milli>;  // holds all that milliseconds cannot
    const Rough rough(timeout);
    if (rough >= Rough(milliseconds::max())) return Wait();
    const milliseconds rounded =
        rough > Rough(0) ? std::chrono::ceil<milliseconds>(timeout) : milliseconds(0);
    return ToResult(callbridge_run_wait(handle_.get(), rounded.count()));
  }

 private:
  friend class Call;
  explicit Run(callbridge_run* run) : handle_(run) {}

  std::unique_ptr<callbridge_run, Destroyer<&callbridge_run_destroy>> handle_;
};

// A target bound to a call site. Several threads may execute one call at the same time.
class Call {
 public:
  // Copies what it needs of its arguments. Calls the INSTANTIATE stage of a typed target with
  // `context`.
  static Result<Call> Bind(const Target& target, const Site& site, const Context& context = {}) {
    if (callbridge_error* error = CheckTexts(target, site)) return Error(error);
    const callbridge_target c_target = ToC(target);
    const callbridge_execution_context c_context = context.ToC();
    callbridge_call* call = nullptr;
    if (callbridge_error* error =
            callbridge_call_bind(&c_target, CSite(site).get(), &c_context, &call)) {
      return Error(error);
    }
    return Call(call);
  }

  // Calls the target on the leaves' data pointers, in preorder, and waits until it is done. Both
  // lists are undefined afterwards. Provides nothing.
  Result<void> Execute(Span<void*> operands, Span<void*> results) const {
    return ToResult(callbridge_call_execute(handle_.get(), operands.data(), operands.size(),
                                            results.data(), results.size(), nullptr));
  }
  // Same, with `context`.
  Result<void> Execute(Span<void*> operands, Span<void*> results, const Context& context) const {
    const callbridge_execution_context c_context = context.ToC();
    return ToResult(callbridge_call_execute(handle_.get(), operands.data(), operands.size(),
                                            results.data(), results.size(), &c_context));
  }

  // Calls the target without waiting for a typed handler's future. The buffers and what `context`
  // points to must live until the run is over.
  Result<Run> Start(Span<void*> operands, Span<void*> results, const Context& context = {}) const {
    return StartWith(operands, results, context, nullptr, nullptr);
  }
  // Same, and calls done(Result<void>) once: before this returns, or on the thread that completes
  // the future. `done` must not wait for the run; what it throws is dropped.
  template <typename Done>
  Result<Run> Start(Span<void*> operands, Span<void*> results, const Context& context,
                    Done done) const {
    auto owned = std::make_unique<Done>(std::move(done));
    Result<Run> run = StartWith(
        operands, results, context,
        [](void* user, callbridge_error* error) {
          const std::unique_ptr<Done> owned_done(static_cast<Done*>(user));
          (*owned_done)(ToResult(error));
        },
        owned.get());
    if (run) static_cast<void>(owned.release());  // the callback owns it, and may have deleted it
    return run;
  }

  // Returns the C API's handle, which this object owns; null after a move.
  const callbridge_call* get() const { return handle_.get(); }

 private:
  explicit Call(callbridge_call* call) : handle_(call) {}

  Result<Run> StartWith(Span<void*> operands, Span<void*> results, const Context& context,
                        callbridge_done* done, void* user) const {
    const callbridge_execution_context c_context = context.ToC();
    callbridge_run* run = nullptr;
    if (callbridge_error* error =
            callbridge_call_start(handle_.get(), operands.data(), operands.size(), results.data(),
                                  results.size(), &c_context, done, user, &run)) {
      return Error(error);
    }
    return Run(run);
  }

  std::unique_ptr<callbridge_call, Destroyer<&callbridge_call_destroy>> handle_;
};

// A leaf's memory: {data, size_bytes}.
using Array = callbridge_array;

// Binds a target and calls it once, on arrays in host memory, as XLA:CPU would. Checks the arrays'
// sizes.
inline Result<void> Execute(const Target& target, const Site& site, Span<const Array> operands,
                            Span<const Array> results, const Context& context = {}) {
  if (callbridge_error* error = CheckTexts(target, site)) return Error(error);
  const callbridge_target c_target = ToC(target);
  const callbridge_execution_context c_context = context.ToC();
  return ToResult(callbridge_execute(&c_target, CSite(site).get(), operands.data(), operands.size(),
                                     results.data(), results.size(), &c_context));
}

// ---- Handing a target to a runtime --------------------------------------------------------------

// Functions that call a target, for a runtime: as in callbridge_entry_points. They live as long as
// the process.
struct EntryPoints {
  void* untyped;  // called with api_version 3
  void* typed;    // null for a typed target
};

// Returns the same entry points for the same target each time. Keeps its library open for the rest
// of the process.
inline Result<EntryPoints> GetEntryPoints(const Target& target) {
  if (callbridge_error* error = CheckTexts(target)) return Error(error);
  const callbridge_target c_target = ToC(target);
  callbridge_entry_points points = {};
  points.struct_size = sizeof(points);
  if (callbridge_error* error = callbridge_target_entry_points(&c_target, &points)) {
    return Error(error);
  }
  return EntryPoints{points.untyped, points.typed};
}

// ---- Inspecting a file --------------------------------------------------------------------------

// Returns what the file at `path` is and which custom calls it has, as JSON; if `probes`, asks its
// functions whether they are typed handlers: as in callbridge_inspect.
inline Result<std::string> Inspect(const std::string& path, bool probes = false) {
  if (callbridge_error* error = c_form::CheckNoNul("a path", path)) return Error(error);
  char* json = nullptr;
  if (callbridge_error* error = callbridge_inspect(path.c_str(), probes ? 1 : 0, &json)) {
    return Error(error);
  }
  const std::unique_ptr<char, Destroyer<&callbridge_bytes_free>> owned(json);
  return std::string(json);
}

}  // namespace cpp_v1
}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_HPP_
