# Handlers built with XLA's genuine FFI headers, of each release that differs from the one before it;
# scripts/ffi_headers gets the headers. None of the project's own headers is in them.
set(CALLBRIDGE_FFI_HEADERS ${CALLBRIDGE_TENSORFLOW}/../../jaxlib-headers)
callbridge_jax_releases(CALLBRIDGE_FFI_RELEASES headers)
list(GET CALLBRIDGE_FFI_RELEASES -1 newest)
set(CALLBRIDGE_NEWEST_FFI_HEADERS ${CALLBRIDGE_FFI_HEADERS}/${newest}/jaxlib/include)
if(NOT CALLBRIDGE_THOROUGH)
  callbridge_jax_releases(CALLBRIDGE_FFI_RELEASES sample)
endif()
# For the tests, in C++ and in Python.
list(JOIN CALLBRIDGE_FFI_RELEASES " " CALLBRIDGE_FFI_RELEASES_TEXT)
file(WRITE ${PROJECT_BINARY_DIR}/tests/ffi_releases.txt "${CALLBRIDGE_FFI_RELEASES_TEXT}\n")

# callbridge_genuine_handlers(prefix definition sources...): modules <prefix>_<release>.so, in which
# `definition` is the release as a number, 0.4.30 being 430. Sets <prefix>_folder, where they are, and
# <prefix>_targets, which makes them.
#
# A sanitizer build takes the plain build's, as it does with other old binaries. The thread sanitizer
# must see what handlers do on its threads, so there they are built anew.
function(callbridge_genuine_handlers prefix definition)
  if(CALLBRIDGE_OLD_BINARIES_FROM AND NOT CALLBRIDGE_SANITIZE STREQUAL "thread")
    file(RELATIVE_PATH folder ${PROJECT_BINARY_DIR}/tests/targets ${CMAKE_CURRENT_BINARY_DIR})
    set(${prefix}_folder ${CALLBRIDGE_OLD_BINARIES_FROM}/${folder} PARENT_SCOPE)
    set(${prefix}_targets old_binaries PARENT_SCOPE)
    return()
  endif()
  foreach(release ${CALLBRIDGE_FFI_RELEASES})
    # The demo is configured without them, and builds none of these.
    if(NOT EXISTS ${CALLBRIDGE_FFI_HEADERS}/${release})
      message(WARNING "The tests build handlers with XLA's headers of jaxlib ${release}, which are not "
        "there: run scripts/ffi_headers")
    endif()
    string(REGEX MATCH "^0[.]([0-9]+)[.]([0-9]+)" number ${release})
    math(EXPR number "${CMAKE_MATCH_1} * 100 + ${CMAKE_MATCH_2}")
    set(name ${prefix}_${release})
    add_library(${name} MODULE ${ARGN})
    target_compile_definitions(${name} PRIVATE ${definition}=${number})
    target_include_directories(${name} SYSTEM PRIVATE
      ${CALLBRIDGE_FFI_HEADERS}/${release}/jaxlib/include)
    # What they do is the same at any level, and -O0 compiles in a third of the time. Several are
    # opened in one process, where each keeps its own variables.
    target_compile_options(${name} PRIVATE -O0 -g0 $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    list(APPEND targets ${name})
  endforeach()
  # For another build, which an emulator has none of.
  if(NOT CMAKE_CROSSCOMPILING)
    add_dependencies(old_binaries ${targets})
  endif()
  set(${prefix}_folder ${CMAKE_CURRENT_BINARY_DIR} PARENT_SCOPE)
  set(${prefix}_targets ${targets} PARENT_SCOPE)
endfunction()
