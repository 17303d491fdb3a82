# find_package(callbridge) gives the target callbridge::callbridge: the library and its include directory.
# find_package(callbridge COMPONENTS client) gives callbridge::client too, XLA's C++ builder and client, which needs
# protobuf and abseil.
include("${CMAKE_CURRENT_LIST_DIR}/callbridgeTargets.cmake")
if("client" IN_LIST callbridge_FIND_COMPONENTS)
  include(CMakeFindDependencyMacro)
  find_dependency(Protobuf)
  find_dependency(absl CONFIG)
  include("${CMAKE_CURRENT_LIST_DIR}/callbridgeClientTargets.cmake")
  set(callbridge_client_FOUND TRUE)
endif()
