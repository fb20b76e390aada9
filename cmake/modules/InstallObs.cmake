#===- InstallObs.cmake - The installed tree and find_package(Obsidian) ---===//
#
# Part of the Obsidian project, under the Apache License v2.0 with LLVM
# Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Obsidian)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/Obsidian
  ${PROJECT_SOURCE_DIR}/include/obsidian-c
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/Obsidian
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc")

# The C API needs nothing else; the C++ libraries need the packages of MLIR.
foreach(set IN ITEMS ObsidianTargets ObsidianCppTargets)
  install(EXPORT ${set} NAMESPACE Obsidian:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/ObsidianConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ObsidianConfig.cmake
  INSTALL_DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/ObsidianConfig.cmake
  DESTINATION ${package_dir})
