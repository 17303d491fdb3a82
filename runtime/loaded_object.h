// The program or library that holds an address of this process.
#ifndef CALLBRIDGE_RUNTIME_LOADED_OBJECT_H_
#define CALLBRIDGE_RUNTIME_LOADED_OBJECT_H_

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

}  // namespace callbridge

#endif  // CALLBRIDGE_RUNTIME_LOADED_OBJECT_H_
