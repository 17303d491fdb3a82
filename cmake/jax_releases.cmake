# callbridge_jax_releases(variable word): sets `variable` to the releases of requirements/jax_releases, oldest first, whose
# environment is `word`, or that are used by `word`; with "headers", to those that have XLA's FFI headers of their own; with "plugin", to those with a GPU
# plugin.
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/requirements/jax_releases)

function(callbridge_jax_releases variable word)
  file(STRINGS ${PROJECT_SOURCE_DIR}/requirements/jax_releases rows REGEX "^[0-9]")
  set(found)
  foreach(row ${rows})
    string(REGEX REPLACE " +" ";" columns ${row})
    list(POP_FRONT columns release environment headers plugin)
    if(word IN_LIST columns OR word STREQUAL environment
       OR (word STREQUAL "headers" AND NOT headers STREQUAL "-")
       OR (word STREQUAL "plugin" AND NOT plugin STREQUAL "-"))
      list(APPEND found ${release})
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "requirements/jax_releases has no release with \"${word}\"")
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
