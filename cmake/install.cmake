# What `cmake --install` puts where; include/CMakeLists.txt has the headers. The folders are literal, since python/callbridge
# finds the libraries from where it is and users are promised these; nothing in them names the prefix, so an installed tree
# can be moved. In the wheel (SKBUILD) the prefix is the Python package's folder.
set_target_properties(callbridge_command PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
set_target_properties(callbridge_client_library PROPERTIES INSTALL_RPATH "$ORIGIN")
if(SKBUILD)
  # A wheel has no symbolic links, so the one file has the name that others look for.
  set_target_properties(callbridge callbridge_client_library PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})
  set(name_for_linkers NAMELINK_SKIP)
  set(CALLBRIDGE_LINKED_AS ":libcallbridge.so.${PROJECT_VERSION_MAJOR}")
else()
  set(CALLBRIDGE_LINKED_AS callbridge)
endif()

install(TARGETS callbridge EXPORT callbridgeTargets
  LIBRARY DESTINATION lib ${name_for_linkers}
  INCLUDES DESTINATION include)
# An export set of its own: its users have protobuf and abseil, and those of libcallbridge.so alone need not.
install(TARGETS callbridge_client_library EXPORT callbridgeClientTargets
  LIBRARY DESTINATION lib ${name_for_linkers}
  INCLUDES DESTINATION include)
install(TARGETS callbridge_command RUNTIME DESTINATION bin)
# What callbridge itself runs: found from where libcallbridge.so or the command is.
set_target_properties(callbridge_module PROPERTIES INSTALL_RPATH "$ORIGIN/../../lib")
install(TARGETS callbridge_probe callbridge_load callbridge_module RUNTIME DESTINATION libexec/callbridge)
if(TARGET callbridge_python)
  install(TARGETS callbridge_python LIBRARY DESTINATION lib)
endif()

# What `callbridge new` writes.
install(DIRECTORY examples/packages/ DESTINATION share/callbridge/packages PATTERN __pycache__ EXCLUDE)

install(EXPORT callbridgeTargets NAMESPACE callbridge:: DESTINATION lib/cmake/callbridge)
set(packages callbridge)
if(NOT SKBUILD)
  install(EXPORT callbridgeClientTargets NAMESPACE callbridge:: DESTINATION lib/cmake/callbridge)
  list(APPEND packages callbridge-client)
  install(DIRECTORY python/callbridge DESTINATION python
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
  # In the tree a link, as the headers' folders.
  install(FILES hlo/xla_internal_calls.inc DESTINATION python/callbridge)
endif()
foreach(package ${packages})
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION lib/pkgconfig)
endforeach()

# For man: in a wheel, where pip puts it beside the command. `callbridge completion man` wrote it.
if(SKBUILD)
  install(FILES tools/callbridge.1 DESTINATION ${SKBUILD_DATA_DIR}/share/man/man1)
else()
  install(FILES tools/callbridge.1 DESTINATION share/man/man1)
endif()

# The licences of what is linked in (scripts/debian_11).
if(SKBUILD AND CALLBRIDGE_LICENSES)
  install(DIRECTORY ${CALLBRIDGE_LICENSES}/ DESTINATION ${SKBUILD_METADATA_DIR}/licenses)
endif()
