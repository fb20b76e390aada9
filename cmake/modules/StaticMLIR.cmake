#===- StaticMLIR.cmake - Tools that need libc and libm only --------------===//
#
# Part of the Obsidian project, under the Apache License v2.0 with LLVM
# Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//

# The packaged static libraries name the shared libLLVM and libMLIR as their
# dependencies. Takes those out, so that each tool names the static archives.
function(obs_static_mlir)
  get_property(libs GLOBAL PROPERTY MLIR_ALL_LIBS)
  list(REMOVE_DUPLICATES libs)
  foreach(lib IN LISTS libs)
    if(NOT TARGET ${lib})
      continue()
    endif()
    get_target_property(type ${lib} TYPE)
    get_target_property(deps ${lib} INTERFACE_LINK_LIBRARIES)
    if(type STREQUAL "STATIC_LIBRARY" AND deps)
      list(REMOVE_ITEM deps LLVM MLIR)
      set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${deps}")
    endif()
  endforeach()

  # The compression libraries too, so that libc and libm are all that is left.
  # Nothing of ours reaches the SMT solver.
  find_library(OBS_ZLIB_ARCHIVE NAMES libz.a REQUIRED)
  find_library(OBS_ZSTD_ARCHIVE NAMES libzstd.a REQUIRED)
  get_target_property(deps LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(FILTER deps EXCLUDE REGEX "libz3|ZLIB::|zstd::")
  list(APPEND deps ${OBS_ZLIB_ARCHIVE} ${OBS_ZSTD_ARCHIVE})
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${deps}")
endfunction()

# Has a library of ours name libLLVM.so only in what does not link the parts of LLVM instead.
function(obs_choose_llvm name)
  foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(deps ${name} ${property})
    list(TRANSFORM deps REPLACE "^LLVM$" "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:OBS_STATIC>>>:LLVM>")
    set_target_properties(${name} PROPERTIES ${property} "${deps}")
  endforeach()
endfunction()

# Links the parts of LLVM that our tools reach: the NVPTX back end for kernels,
# the X86 one, with the JIT, for the emulator, and the protocol of editors.
function(obs_static_tool name)
  set_target_properties(${name} PROPERTIES OBS_STATIC ON)
  llvm_map_components_to_libnames(llvm_libs
    AsmParser BitReader BitWriter Core ExecutionEngine IRReader JITLink Linker
    OrcJIT PerfJITEvents Passes Support SupportLSP Target TargetParser Remarks FrontendOpenMP
    X86CodeGen X86AsmParser X86Desc X86Info
    NVPTXCodeGen NVPTXDesc NVPTXInfo)
  target_link_libraries(${name} PRIVATE ${llvm_libs})
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # Without a fixed address, each start would relocate 80,000 pointers.
    target_link_options(${name} PRIVATE -no-pie)
  endif()
  target_link_options(${name} PRIVATE
    -static-libstdc++ -static-libgcc LINKER:--as-needed LINKER:--gc-sections
    $<$<CONFIG:Release>:LINKER:--icf=all> $<$<CONFIG:Release>:LINKER:--strip-all>)
endfunction()
