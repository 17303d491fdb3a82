# find_package(callbridge) gives the target callbridge::callbridge: the library and its include directory.
include("${CMAKE_CURRENT_LIST_DIR}/callbridgeTargets.cmake")
