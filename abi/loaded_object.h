// The program or library that holds an address of this process.
#ifndef CALLBRIDGE_ABI_LOADED_OBJECT_H_
#define CALLBRIDGE_ABI_LOADED_OBJECT_H_

#include <dlfcn.h>
#include <link.h>

namespace callbridge {

// What ld.so knows of it, and owns; null where no loaded file holds `address`.
inline const link_map* LoadedObject(const void* address) {
  Dl_info info;
  link_map* object = nullptr;
  const bool found =
      dladdr1(address, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
  return found ? object : nullptr;
}

// Keeps the library that holds `address` loaded for as long as the process lives, whoever closes
// it. Does nothing where no loaded file holds it.
inline void KeepLoaded(const void* address) {
  const link_map* object = LoadedObject(address);
  if (object == nullptr || *object->l_name == '\0') return;  // the program itself stays anyway
  // Finds it by the name that ld.so has for it, whether or not the file is still there.
  dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_LOADED_OBJECT_H_
