#===- AddObs.cmake - Functions that the build files of Obsidian use ------===//
#
# Part of the Obsidian project, under the Apache License v2.0 with LLVM
# Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//

include_guard()

# One target compiles the heavy MLIR headers; the others reuse its result, so
# all of them must be compiled with the same flags.
if(OBS_USE_PCH)
  add_library(ObsPrecompiledHeaders OBJECT
    ${PROJECT_SOURCE_DIR}/cmake/pch/Precompiled.cpp)
  add_dependencies(ObsPrecompiledHeaders obs-headers)
  llvm_update_compile_flags(ObsPrecompiledHeaders)
  target_precompile_headers(ObsPrecompiledHeaders PRIVATE
    ${PROJECT_SOURCE_DIR}/cmake/pch/Precompiled.h)
  # Without a time stamp in the header ccache can tell that nothing changed.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  target_compile_options(ObsPrecompiledHeaders PRIVATE
    "SHELL:-Xclang -fno-pch-timestamp")
endif()

function(obs_use_precompiled_headers target)
  if(OBS_USE_PCH)
    target_precompile_headers(${target} REUSE_FROM ObsPrecompiledHeaders)
  endif()
endfunction()

# obs_link_mlir(target PUBLIC|PRIVATE library...): the archives of upstream in what has the
# property OBS_STATIC, and libMLIR.so elsewhere.
function(obs_link_mlir target type)
  if(OBS_STATIC)
    set(static "$<BOOL:$<TARGET_PROPERTY:OBS_STATIC>>")
    target_link_libraries(${target} ${type} "$<IF:${static},${ARGN},MLIR>")
  else()
    target_link_libraries(${target} ${type} MLIR)
  endif()
endfunction()

# add_obs_tablegen_target(Name): names what the mlir_tablegen() calls before it
# in the same file generate, and has every library wait for it.
function(add_obs_tablegen_target name)
  # TABLEGEN_OUTPUT is what mlir_tablegen leaves in the caller's scope.
  add_custom_target(${name} DEPENDS ${TABLEGEN_OUTPUT})
  set(TABLEGEN_OUTPUT "" PARENT_SCOPE)
  add_dependencies(obs-headers ${name})
endfunction()

# add_obs_library(Name source...
#   [LINK_LIBS [PUBLIC] our libraries...]
#   [MLIR_LIBS upstream libraries...]   e.g. MLIRIR MLIRGPUDialect
#   [LLVM_COMPONENTS component...])     e.g. OrcJIT Support
# Upstream MLIR must be named in MLIR_LIBS only: that is what is exchanged for
# libMLIR.so, and a library named elsewhere would be linked a second time.
function(add_obs_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS;LLVM_COMPONENTS;DEPENDS"
    ${ARGN})
  list(REMOVE_ITEM ARG_LINK_LIBS PUBLIC PRIVATE)
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS}
    EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL PARTIAL_SOURCES_INTENDED
    DEPENDS obs-headers ${ARG_DEPENDS}
    LINK_COMPONENTS ${ARG_LLVM_COMPONENTS}
    LINK_LIBS PUBLIC ${ARG_LINK_LIBS})
  obs_link_mlir(${name} PUBLIC ${ARG_MLIR_LIBS})
  if(OBS_STATIC)
    obs_choose_llvm(${name})
  endif()
  set_target_properties(${name} PROPERTIES FOLDER "Obsidian/Libraries")
  obs_use_precompiled_headers(${name})
  # The libraries of tools and tests stay here.
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/lib(/|$)" AND
     NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/lib/Tools")
    install(TARGETS ${name} EXPORT ObsidianCppTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

# add_obs_tool(name source... [LINK_LIBS ...] [MLIR_LIBS ...]
#   [LLVM_COMPONENTS ...]): an executable in bin/. It is part of `all`.
function(add_obs_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  list(REMOVE_ITEM ARG_LINK_LIBS PUBLIC PRIVATE)
  set(LLVM_LINK_COMPONENTS ${ARG_LLVM_COMPONENTS})
  set(llvm "")
  if(OBS_STATIC)
    set(llvm DISABLE_LLVM_LINK_LLVM_DYLIB)
  endif()
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS}
    ${llvm} PARTIAL_SOURCES_INTENDED DEPENDS obs-headers)
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  obs_link_mlir(${name} PRIVATE ${ARG_MLIR_LIBS})
  if(OBS_STATIC)
    obs_static_tool(${name})
  endif()
  obs_use_precompiled_headers(${name})
  set_property(GLOBAL APPEND PROPERTY OBS_TOOLS ${name})
  # Tools of tests stay here.
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/tools/")
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()

# add_obs_unittest(NameTests source... [LINK_LIBS ...] [MLIR_LIBS ...]
#   [LLVM_COMPONENTS ...]): a GoogleTest executable, run by check-obs. The name
# must end in Tests, which is how lit finds it.
function(add_obs_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS;LLVM_COMPONENTS" ${ARGN})
  if(NOT name MATCHES "Tests$")
    message(FATAL_ERROR "The name of a unit test must end in Tests: ${name}")
  endif()
  if(NOT TARGET obs-unittests)
    add_custom_target(obs-unittests)
  endif()
  if(NOT OBS_BUILD_UNITTESTS)
    return()
  endif()
  list(REMOVE_ITEM ARG_LINK_LIBS PUBLIC PRIVATE)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    FOLDER "Obsidian/Tests")
  add_dependencies(${name} obs-headers)
  target_link_libraries(${name} PRIVATE
    ${ARG_LINK_LIBS} GTest::gtest GTest::gtest_main)
  target_link_libraries(${name} PRIVATE MLIR LLVM)
  obs_use_precompiled_headers(${name})
  add_dependencies(obs-unittests ${name})
endfunction()
