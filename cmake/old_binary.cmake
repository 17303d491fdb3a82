# Old binaries: custom calls built against the genuine headers of TensorFlow 2.13.1, in the ways that
# people built them. None of the project's own compiler options applies to them.
if(NOT EXISTS "${CALLBRIDGE_TENSORFLOW}/include/tensorflow/compiler/xla/service/custom_call_status.h")
  message(FATAL_ERROR "The tests and examples build old binaries against TensorFlow 2.13.1: set "
    "CALLBRIDGE_TENSORFLOW to its unpacked wheel (`make test` does), or CALLBRIDGE_TESTS to OFF")
endif()

# callbridge_old_binary(name source [LINKED] [COMPILE ...] [LINK ...]): name.so; LINKED to TensorFlow's library.
function(callbridge_old_binary name source)
  cmake_parse_arguments(arg "LINKED" "" "COMPILE;LINK" ${ARGN})
  add_library(${name} MODULE ${source})
  if(arg_LINKED)
    set(tensorflow -L${CALLBRIDGE_TENSORFLOW} -l:libtensorflow_cc.so.2 -Wl,--allow-shlib-undefined)
    target_link_libraries(${name} PRIVATE ${tensorflow})
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    CXX_VISIBILITY_PRESET default
    VISIBILITY_INLINES_HIDDEN OFF
    BUILD_RPATH ""
    SKIP_BUILD_RPATH ON
    COMPILE_OPTIONS "${arg_COMPILE}"
    LINK_OPTIONS "${arg_LINK}")
  target_include_directories(${name} SYSTEM PRIVATE ${CALLBRIDGE_TENSORFLOW}/include)
endfunction()
