# What `cmake --install` puts where. The folders are literal, since python/callbridge finds ../../lib from where it is and
# users are promised these; nothing in them names the prefix, so an installed tree can be moved.
include(CMakePackageConfigHelpers)

set_target_properties(callbridge_command PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")

install(TARGETS callbridge EXPORT callbridgeTargets
  LIBRARY DESTINATION lib
  INCLUDES DESTINATION include)
# An export set of its own: its users have protobuf and abseil, and those of libcallbridge.so alone need not.
set_target_properties(callbridge_client_library PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS callbridge_client_library EXPORT callbridgeClientTargets
  LIBRARY DESTINATION lib
  INCLUDES DESTINATION include)
install(TARGETS callbridge_command RUNTIME DESTINATION bin)
# What callbridge itself runs: found from where libcallbridge.so or the command is.
set_target_properties(callbridge_module PROPERTIES INSTALL_RPATH "$ORIGIN/../../lib")
install(TARGETS callbridge_probe callbridge_load callbridge_module RUNTIME DESTINATION libexec/callbridge)

# In the tree include/callbridge/<floor> is a link to the floor; installed, a folder with its public headers. What protoc
# generates lies elsewhere.
set(public_headers ${PROJECT_SOURCE_DIR}/include/public_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers})
file(STRINGS ${public_headers} headers)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  if(header MATCHES "^callbridge/hlo/.*[.]pb[.]h$")
    install(FILES ${PROJECT_BINARY_DIR}/hlo/include/${header} DESTINATION include/${folder})
  else()
    install(FILES ${PROJECT_SOURCE_DIR}/include/${header} DESTINATION include/${folder})
  endif()
endforeach()

install(DIRECTORY python/callbridge DESTINATION python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
if(TARGET callbridge_python)
  install(TARGETS callbridge_python LIBRARY DESTINATION lib)
endif()
# In the tree a link, as the headers' folders above.
install(FILES hlo/xla_internal_calls.inc DESTINATION python/callbridge)

install(EXPORT callbridgeTargets NAMESPACE callbridge:: DESTINATION lib/cmake/callbridge)
install(EXPORT callbridgeClientTargets NAMESPACE callbridge:: DESTINATION lib/cmake/callbridge)
# Before 1.0 a minor version may break what the one before promised.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/callbridgeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/callbridgeConfig.cmake ${PROJECT_BINARY_DIR}/callbridgeConfigVersion.cmake
  DESTINATION lib/cmake/callbridge)
foreach(package callbridge callbridge-client)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION lib/pkgconfig)
endforeach()
