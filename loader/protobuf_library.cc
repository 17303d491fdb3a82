#include "callbridge/loader/protobuf_library.h"

#include <dlfcn.h>

#include <mutex>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/per_process.h"
#include "callbridge/loader/helper_program.h"

namespace callbridge {
namespace {

constexpr char kClientLibrary[] = CALLBRIDGE_CLIENT_LIBRARY;  // its SONAME
constexpr char kProtobuf[] = "libprotobuf.so.32";

// Of classes that this code has no headers of: members are functions of their object.
constexpr char kGeneratedPool[] = "_ZN6google8protobuf14DescriptorPool14generated_poolEv";
constexpr char kFindMessage[] =
    "_ZNK6google8protobuf14DescriptorPool21FindMessageTypeByNameERKNSt7__cxx1112basic_stringIcSt11"
    "char_traitsIcESaIcEEE";
using GeneratedPool = const void* (*)();
using FindMessage = const void* (*)(const void* pool, const std::string& name);

constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
// A genuine TensorFlow in the global scope has a protobuf of its own, of another version, under the
// same names. The address sanitizer refuses the flag, and is not used beside one.
#ifdef CALLBRIDGE_ADDRESS_SANITIZER
constexpr int kOwnSymbolsFirst = 0;
#else
constexpr int kOwnSymbolsFirst = RTLD_DEEPBIND;
#endif

// protobuf ends the process where a second library registers messages of one name. Returns the name
// of such a message that the process's libprotobuf already has; empty if none.
std::string AlreadyRegistered() {
  void* protobuf = dlopen(kProtobuf, RTLD_NOLOAD | RTLD_LAZY);
  if (protobuf == nullptr) return "";
  auto generated_pool = reinterpret_cast<GeneratedPool>(dlsym(protobuf, kGeneratedPool));
  auto find_message = reinterpret_cast<FindMessage>(dlsym(protobuf, kFindMessage));
  std::string registered;
  if (generated_pool != nullptr && find_message != nullptr) {
    for (const char* message : {"xla.ShapeProto", "xla.HloModuleProto"}) {
      if (find_message(generated_pool(), message) != nullptr) registered = message;
    }
  }
  dlclose(protobuf);
  return registered;
}

absl::StatusOr<void*> OpenHandle() {
  if (void* loaded = dlopen(kClientLibrary, kMode | RTLD_NOLOAD)) return loaded;
  if (const std::string message = AlreadyRegistered(); !message.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "something else in this process has registered the protobuf message ", message, " with ",
        kProtobuf, ", and callbridge's cannot come beside it: link the program to ", kClientLibrary,
        " in the place of that, or load the binary in another process"));
  }
  absl::StatusOr<std::string> path = FindHelperLibrary(kClientLibrary, "CALLBRIDGE_CLIENT");
  if (!path.ok()) return path.status();
  if (void* handle = dlopen(path->c_str(), kMode | kOwnSymbolsFirst)) return handle;
  const char* error = dlerror();
  return absl::FailedPreconditionError(absl::StrCat(
      "callbridge's part that has protobuf cannot be opened: ", error != nullptr ? error : *path,
      " (it needs Debian 12's libprotobuf32)"));
}

}  // namespace

absl::StatusOr<ProtobufLibrary> ProtobufLibrary::Open() {
  struct Opening;
  static void* opened = nullptr;
  std::lock_guard<std::mutex> lock(PerProcess<std::mutex, Opening>::Get());
  if (opened == nullptr) {
    absl::StatusOr<void*> handle = OpenHandle();
    if (!handle.ok()) return handle.status();
    opened = *handle;
  }
  return ProtobufLibrary(opened);
}

void* ProtobufLibrary::Find(const std::string& symbol) const {
  return dlsym(handle_, symbol.c_str());
}

}  // namespace callbridge
