// A library with a registry of its own, which unoptimised old code would register with if this one
// is in the global scope: both export the inline constructor, and the first one counts.
#include <string>

namespace xla {

class RegisterCustomCallTarget {
 public:
  RegisterCustomCallTarget(const std::string& name, void* address, const std::string& platform);
};

RegisterCustomCallTarget::RegisterCustomCallTarget(const std::string&, void*, const std::string&) {}

}  // namespace xla
