// One process with genuine TensorFlow 2.13.1 in it and with tests/targets/every_way.cc, linked to
// libcallbridge.so. Opens the libraries that it is given, each as "local PATH" or "global PATH", in
// that order, and checks that neither registry has what was registered for the other one.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr char kGlobal[] = "_ZN3xla24CustomCallTargetRegistry6GlobalEv";
constexpr char kLookup[] =
    "_ZNK3xla24CustomCallTargetRegistry6LookupERK"
    "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_";

// xla::CustomCallTargetRegistry of the symbol version that a library gave it.
class Registry {
 public:
  Registry(const char* library, const char* version) : library_(library), version_(version) {
    handle_ = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle_ == nullptr) Fail("it is not loaded");
  }
  bool Has(const std::string& name) const {
    return Function<void* (*)(void*, const std::string&, const std::string&)>(kLookup)(
               Global(), name, "Host") != nullptr;
  }
  void Expect(const char* name, bool expected) const {
    if (Has(name) != expected) Fail(name);
  }

 private:
  template <typename T>
  T Function(const char* name) const {
    auto function = reinterpret_cast<T>(dlvsym(handle_, name, version_));
    if (function == nullptr) Fail(dlerror());
    return function;
  }
  void* Global() const { return Function<void* (*)()>(kGlobal)(); }
  [[noreturn]] void Fail(const char* what) const {
    std::fprintf(stderr, "%s: %s\n", library_, what);
    std::exit(1);
  }

  const char* library_;
  const char* version_;
  void* handle_;
};

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const int scope = std::strcmp(argv[i], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    if (dlopen(argv[i + 1], RTLD_LAZY | scope) == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  const Registry tensorflow("libtensorflow_cc.so.2", "tensorflow");
  const Registry callbridge("libcallbridge.so.0", "callbridge");
  for (const char* name : {"tanhf", "truncf"}) {  // TensorFlow's own
    tensorflow.Expect(name, true);
    callbridge.Expect(name, false);
  }
  for (const char* name : {"add", "divide"}) {
    tensorflow.Expect(name, false);
    callbridge.Expect(name, true);
  }
  std::puts("apart");
}
