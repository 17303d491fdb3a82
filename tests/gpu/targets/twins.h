// GPU targets made of CPU targets, which compute the same: a twin has the CPU function called on
// the host, in the order of the stream, with addresses by which the host reads and writes device
// memory. Over the stand-in for the driver these are asked for explicitly; on a device the tests
// have XLA take managed memory, which has one address for both.
#ifndef CALLBRIDGE_TESTS_GPU_TARGETS_TWINS_H_
#define CALLBRIDGE_TESTS_GPU_TARGETS_TWINS_H_

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tests/gpu/targets/driver_calls.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"

namespace gpu {

// Null for null, and where there is no element.
inline void* OnHost(void* device_memory) {
  using Translate = void*(uint64_t address, size_t size);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  static auto* const translate =
      reinterpret_cast<Translate*>(dlsym(driver, "standin_host_address"));
  if (device_memory == nullptr || translate == nullptr) return device_memory;
  return translate(ToAddress(device_memory), 1);
}

// ---- Untyped ------------------------------------------------------------------------------------

// The tuples of a target's operands and result, as in "(a (b c)) d -> (e f)".
class Form {
 public:
  explicit Form(const char* text) {
    operands_ = Trees(text);
    while (*text == ' ' || *text == '-' || *text == '>') ++text;
    result_ = Trees(text);
    throws_ = *text == '!';
  }

  // How many arrays there are.
  size_t size() const { return size_; }
  bool throws() const { return throws_; }

  // What a CPU target is called with. Lives as long as the arguments do.
  struct Arguments {
    void* out;
    const void** in;
    std::deque<std::vector<void*>> tables;
  };
  void Fill(void* const* buffers, Arguments& arguments) const {
    arguments.in = const_cast<const void**>(Table(operands_, buffers, arguments));
    arguments.out = Value(result_.at(0), buffers, arguments);
  }

 private:
  struct Tree {
    bool is_array;
    std::vector<Tree> elements;
  };

  std::vector<Tree> Trees(const char*& text) {
    std::vector<Tree> trees;
    for (;;) {
      while (*text == ' ') ++text;
      if (*text == '(') {
        std::vector<Tree> elements = Trees(++text);
        trees.push_back({false, elements});
        ++text;
      } else if (('a' <= *text && *text <= 'z') || *text == '_') {
        while (('a' <= *text && *text <= 'z') || *text == '_') ++text;
        trees.push_back({true, {}});
        ++size_;
      } else {
        return trees;
      }
    }
  }

  static void** Table(const std::vector<Tree>& trees, void* const*& buffers, Arguments& arguments) {
    std::vector<void*>& table = arguments.tables.emplace_back(trees.size() + 1);
    for (size_t i = 0; i < trees.size(); ++i) table[i] = Value(trees[i], buffers, arguments);
    return table.data();
  }
  static void* Value(const Tree& tree, void* const*& buffers, Arguments& arguments) {
    return tree.is_array ? OnHost(*buffers++) : Table(tree.elements, buffers, arguments);
  }

  std::vector<Tree> operands_;
  std::vector<Tree> result_;
  size_t size_ = 0;
  bool throws_ = false;
};

// One call: what it takes of its caller's arguments, since they are gone when it runs.
struct TwinCall {
  std::vector<void*> buffers;
  std::string opaque;
  XlaCustomCallStatus* status;
  std::exception_ptr thrown;
};

inline void CallOnHost(void (*function)(void*, const void**), Form::Arguments& arguments,
                       TwinCall&) {
  function(arguments.out, arguments.in);
}
inline void CallOnHost(void (*function)(void*, void**), Form::Arguments& arguments, TwinCall&) {
  function(arguments.out, const_cast<void**>(arguments.in));
}
inline void CallOnHost(void (*function)(void*, const void**, XlaCustomCallStatus*),
                       Form::Arguments& arguments, TwinCall& call) {
  function(arguments.out, arguments.in, call.status);
}
inline void CallOnHost(void (*function)(void*, const void**, const char*, size_t,
                                        XlaCustomCallStatus*),
                       Form::Arguments& arguments, TwinCall& call) {
  function(arguments.out, arguments.in, call.opaque.data(), call.opaque.size(), call.status);
}

template <auto function>
class Twin {
 public:
  // Registers take the result, whose type is that of a GPU target.
  static auto Of(const char* text) {
    static const Form form(text);
    form_ = &form;
    return Function(function);
  }

  // Waits for the call if the caller is to learn how it went.
  static void CallWith(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                       XlaCustomCallStatus* status) {
    auto call = std::make_unique<TwinCall>();
    if (form_->size() > 0) call->buffers.assign(buffers, buffers + form_->size());
    call->opaque.assign(opaque_len > 0 ? opaque : "", opaque_len);
    call->status = status;
    const InContextOf context(stream);
    if (status == nullptr && !form_->throws()) {
      Driver::Get().launch_host(
          stream, [](void* data) { Run(*std::unique_ptr<TwinCall>(static_cast<TwinCall*>(data))); },
          call.release());
      return;
    }
    Driver::Get().launch_host(
        stream, [](void* data) { Run(*static_cast<TwinCall*>(data)); }, call.get());
    Driver::Get().synchronize(stream);
    if (call->thrown) std::rethrow_exception(call->thrown);
  }

 private:
  static void Run(TwinCall& call) {
    Form::Arguments arguments;
    form_->Fill(call.buffers.data(), arguments);
    try {
      CallOnHost(function, arguments, call);
    } catch (...) {
      if (call.status == nullptr && !form_->throws()) std::terminate();
      call.thrown = std::current_exception();
    }
  }

  static void Original(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
    CallWith(stream, buffers, opaque, opaque_len, nullptr);
  }
  static void StatusReturning(CUstream stream, void** buffers, const char* opaque,
                              size_t opaque_len, XlaCustomCallStatus* status) {
    CallWith(stream, buffers, opaque, opaque_len, status);
  }
  static auto Function(void (*)(void*, const void**)) { return &Original; }
  static auto Function(void (*)(void*, void**)) { return &Original; }
  // Those with a status, and an opaque or none.
  template <typename... Parameters>
  static auto Function(void (*)(void*, const void**, Parameters...)) {
    return &StatusReturning;
  }

  static inline const Form* form_ = nullptr;
};

// ---- Typed --------------------------------------------------------------------------------------

inline bool IsQuery(const XLA_FFI_CallFrame* frame) {
  return frame->extension_start != nullptr &&
         frame->extension_start->type == XLA_FFI_Extension_Metadata;
}

// The frame's buffers, with addresses of the host.
class BuffersOnHost {
 public:
  void** Of(void** buffers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      copies_.emplace_back();
      std::memcpy(&copies_.back(), buffers[i], sizeof(XLA_FFI_Buffer));
      copies_.back().data = OnHost(copies_.back().data);
      pointers_.push_back(&copies_.back());
    }
    return pointers_.data();
  }

 private:
  std::deque<XLA_FFI_Buffer> copies_;
  std::vector<void*> pointers_;
};

// Of a call of any form. XLA's releases have the stream in several ways, which the binding knows.
inline xla::ffi::Error WaitForStream(CUstream stream, xla::ffi::RemainingArgs,
                                     xla::ffi::RemainingRets, xla::ffi::Dictionary) {
  Driver::Get().synchronize(stream);
  return xla::ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kWaitForStream, WaitForStream,
                       xla::ffi::Ffi::Bind()
                           .Ctx<xla::ffi::PlatformStream<CUstream>>()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attrs());

// Calls a handler of EXECUTE when all before it in the stream is done.
inline XLA_FFI_Error* CallOnHost(XLA_FFI_Handler* handler, XLA_FFI_CallFrame* frame) {
  if (IsQuery(frame)) return handler(frame);
  if (XLA_FFI_Error* error = kWaitForStream(frame); error != nullptr) return error;
  XLA_FFI_CallFrame on_host = {};
  // Older frames are shorter.
  std::memcpy(&on_host, frame, frame->struct_size);
  BuffersOnHost operands;
  BuffersOnHost results;
  on_host.args.args = operands.Of(frame->args.args, frame->args.size);
  on_host.rets.rets = results.Of(frame->rets.rets, frame->rets.size);
  return handler(&on_host);
}

template <XLA_FFI_Handler* handler>
struct TypedTwin {
  static XLA_FFI_Error* Call(XLA_FFI_CallFrame* frame) { return CallOnHost(handler, frame); }
};

}  // namespace gpu

#endif  // CALLBRIDGE_TESTS_GPU_TARGETS_TWINS_H_
