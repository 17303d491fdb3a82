# find_package(callbridge CONFIG) gives callbridge::typed_ffi, the header-only part, and callbridge::callbridge: the
# library and its include directory (the component "library"; the wheel callbridge-headers does not have it).
# find_package(callbridge CONFIG COMPONENTS client) gives callbridge::client too, XLA's C++ builder and client, which needs
# protobuf and abseil (`make install` alone has it).
include("${CMAKE_CURRENT_LIST_DIR}/callbridgeTypedFfiTargets.cmake")
set(callbridge_typed_ffi_FOUND TRUE)
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/callbridgeTargets.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/callbridgeTargets.cmake")
  set(callbridge_library_FOUND TRUE)
endif()
if("client" IN_LIST callbridge_FIND_COMPONENTS AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/callbridgeClientTargets.cmake")
  include(CMakeFindDependencyMacro)
  find_dependency(Protobuf)
  find_dependency(absl CONFIG)
  include("${CMAKE_CURRENT_LIST_DIR}/callbridgeClientTargets.cmake")
  set(callbridge_client_FOUND TRUE)
endif()
foreach(callbridge_component IN LISTS callbridge_FIND_COMPONENTS)
  if(callbridge_FIND_REQUIRED_${callbridge_component} AND NOT callbridge_${callbridge_component}_FOUND)
    set(callbridge_FOUND FALSE)
    set(callbridge_NOT_FOUND_MESSAGE
      "this callbridge has no component \"${callbridge_component}\": the components are typed_ffi, library (not in the wheel "
      "callbridge-headers) and client (only in what `make install` installs)")
  endif()
endforeach()
