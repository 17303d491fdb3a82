// GenuineBinding: a library that this process opened without callbridge, and bound to a genuine
// XLA: its targets are registered there.
#ifndef CALLBRIDGE_LOADER_GENUINE_BINDING_H_
#define CALLBRIDGE_LOADER_GENUINE_BINDING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

class GenuineBinding {
 public:
  // Null where the file at `path` is not loaded, or where no xla::CustomCallTargetRegistry but
  // callbridge's is within its reach.
  static std::unique_ptr<GenuineBinding> Find(const std::string& path);

  // Lets go of the library.
  ~GenuineBinding();
  GenuineBinding(const GenuineBinding&) = delete;
  GenuineBinding& operator=(const GenuineBinding&) = delete;

  // The file that holds the registry: ".../libtensorflow_cc.so.2".
  const std::string& registry_file() const { return registry_file_; }
  uint64_t load_address() const { return load_address_; }

  // The function of this library that is registered under that name; null where there is none. It
  // is asked for as `platform` is written.
  void* Lookup(const std::string& name, const std::string& platform) const;

  // A genuine registry cannot be listed. These are the targets under those names that stand in
  // `file`, the library's: its strings and the names of its functions.
  std::vector<RegisteredTarget> TargetsNamedIn(const ElfFile& file) const;

 private:
  using LookupFunction = void* (*)(const void* registry, const std::string& name,
                                   const std::string& platform);

  GenuineBinding(void* library, void* registry, LookupFunction lookup);

  void* library_;  // of dlopen
  void* registry_;
  LookupFunction lookup_;
  std::string registry_file_;
  uint64_t load_address_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_GENUINE_BINDING_H_
