// What old binaries are linked to in place of libtensorflow_cc.so.2: its name, and of its 200 000
// symbols, which take the linker seconds to read, those that they use. See cmake/old_binary.cmake.
#include <string>

namespace xla {

class CustomCallTargetRegistry {
 public:
  static CustomCallTargetRegistry* Global();
  void Register(const std::string& symbol, void* address, const std::string& platform);
  void* Lookup(const std::string& symbol, const std::string& platform) const;
};

CustomCallTargetRegistry* CustomCallTargetRegistry::Global() { return nullptr; }
void CustomCallTargetRegistry::Register(const std::string&, void*, const std::string&) {}
void* CustomCallTargetRegistry::Lookup(const std::string&, const std::string&) const {
  return nullptr;
}

}  // namespace xla
