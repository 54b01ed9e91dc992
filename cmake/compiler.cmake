# SPDX-License-Identifier: Apache-2.0
# One set of compiler rules for every target. SystemC in Debian links only as C++17.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_compile_options(-Wall -Wextra -Wno-missing-field-initializers)
# Contracting a*b+c would change results between compilers and machines.
add_compile_options(-ffp-contract=off)
# A program that uses no SystemC is not linked with its library, which wants an sc_main. Only some compilers do so by themselves.
add_link_options(-Wl,--as-needed)
include_directories(${PROJECT_SOURCE_DIR})

if(NPULAB_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(NPULAB_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

find_program(NPULAB_CCACHE ccache)
if(NPULAB_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${NPULAB_CCACHE})
endif()

# A library of this project: add_npulab_library(base SOURCES ... DEPENDS ...) makes npulab_base and npulab::base.
function(add_npulab_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(ARG_SOURCES)
    add_library(npulab_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(npulab_${name} PUBLIC ${ARG_DEPENDS})
  else()
    add_library(npulab_${name} INTERFACE)
    target_link_libraries(npulab_${name} INTERFACE ${ARG_DEPENDS})
  endif()
  add_library(npulab::${name} ALIAS npulab_${name})
endfunction()
