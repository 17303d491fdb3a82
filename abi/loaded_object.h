// Finds the program or library that holds an address of this process.
#ifndef CALLBRIDGE_ABI_LOADED_OBJECT_H_
#define CALLBRIDGE_ABI_LOADED_OBJECT_H_

#include <dlfcn.h>
#include <link.h>

namespace callbridge {

// Returns ld.so's entry for the file that holds `address`, which ld.so owns. Returns null if no
// loaded file holds it.
inline const link_map* LoadedObject(const void* address) {
  Dl_info info;
  link_map* object = nullptr;
  const bool found =
      dladdr1(address, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
  return found ? object : nullptr;
}

// Keeps the library that holds `address` loaded until the process ends, whoever calls dlclose().
// Does nothing if no loaded file holds it.
inline void KeepLoaded(const void* address) {
  const link_map* object = LoadedObject(address);
  if (object == nullptr || *object->l_name == '\0') return;  // the program itself stays anyway
  // Uses the name that ld.so knows it by: the file itself may be gone.
  dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_LOADED_OBJECT_H_
