# Old binaries: custom calls built against the genuine headers of TensorFlow 2.13.1, in the ways that
# people built them: by g++, optimised. None of the project's own compiler options applies to them.
if(NOT EXISTS "${CALLBRIDGE_TENSORFLOW}/include/tensorflow/compiler/xla/service/custom_call_status.h")
  message(FATAL_ERROR "The tests and examples build old binaries against TensorFlow 2.13.1: set "
    "CALLBRIDGE_TENSORFLOW to its unpacked wheel (`make test` does), or CALLBRIDGE_TESTS to OFF")
endif()

# TensorFlow's libraries as the linker sees them. Binaries come out the same but for the order of their
# symbols, which tests/genuine/test_stubs.py checks, and in 0.1 s each instead of 3. What they are loaded
# beside is genuine.
set(CALLBRIDGE_TENSORFLOW_STUBS ${PROJECT_BINARY_DIR}/tensorflow_stubs)
foreach(library cc framework)
  set(stub tensorflow_${library}_stub)
  set(sources ${PROJECT_SOURCE_DIR}/tests/targets/tensorflow)
  add_library(${stub} SHARED EXCLUDE_FROM_ALL ${sources}/stub_${library}.cc)
  set_target_properties(${stub} PROPERTIES
    OUTPUT_NAME tensorflow_${library}
    SUFFIX .so.2
    LIBRARY_OUTPUT_DIRECTORY ${CALLBRIDGE_TENSORFLOW_STUBS}
    CXX_VISIBILITY_PRESET default
    COMPILE_OPTIONS ""
    LINK_OPTIONS "")
endforeach()
set_target_properties(tensorflow_cc_stub PROPERTIES
  LINK_OPTIONS -Wl,--version-script=${sources}/stub_cc.map)

# callbridge_old_binary(name source [LINKED | LINKED_TO_TENSORFLOW] [COMPILE ...] [LINK ...]): name.so, linked to the
# stub, or to the genuine library itself.
function(callbridge_old_binary name source)
  cmake_parse_arguments(arg "LINKED;LINKED_TO_TENSORFLOW" "" "COMPILE;LINK" ${ARGN})
  add_library(${name} MODULE ${source})
  # Of the genuine library there is one for one machine.
  if(arg_LINKED OR (arg_LINKED_TO_TENSORFLOW AND CMAKE_CROSSCOMPILING))
    target_link_libraries(${name} PRIVATE -L${CALLBRIDGE_TENSORFLOW_STUBS} -l:libtensorflow_cc.so.2)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS
      "${CALLBRIDGE_TENSORFLOW_STUBS}/libtensorflow_cc.so.2;${CALLBRIDGE_TENSORFLOW_STUBS}/libtensorflow_framework.so.2")
  elseif(arg_LINKED_TO_TENSORFLOW)
    target_link_libraries(${name} PRIVATE -L${CALLBRIDGE_TENSORFLOW} -l:libtensorflow_cc.so.2
      -Wl,--allow-shlib-undefined)
  endif()
  # As x86-64's ld has it by itself; gold has no such option.
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND NOT "-fuse-ld=gold" IN_LIST arg_LINK)
    list(APPEND arg_LINK -Wl,-z,separate-code)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    CXX_VISIBILITY_PRESET default
    VISIBILITY_INLINES_HIDDEN OFF
    BUILD_RPATH ""
    SKIP_BUILD_RPATH ON
    COMPILE_OPTIONS "-O1;${arg_COMPILE}"
    CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/as_gcc;${CMAKE_CXX_COMPILER_LAUNCHER}"
    CXX_LINKER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/as_gcc
    LINK_OPTIONS "${arg_LINK}")
  target_include_directories(${name} SYSTEM PRIVATE ${CALLBRIDGE_TENSORFLOW}/include)
endfunction()
