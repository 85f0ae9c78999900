# SPDX-License-Identifier: BSL-1.0
#
# Install rules: headers, CMake package, pkg-config file. All of it is free of the architecture and of the prefix,
# so it lies under share/ and may be moved.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(evenkey_cmake_dir "${CMAKE_INSTALL_DATADIR}/cmake/evenkey")
install(TARGETS evenkey EXPORT evenkeyTargets FILE_SET HEADERS)
install(EXPORT evenkeyTargets NAMESPACE evenkey:: DESTINATION "${evenkey_cmake_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/evenkeyConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/package/evenkeyConfig.cmake"
                              INSTALL_DESTINATION "${evenkey_cmake_dir}")
# Before 1.0 a minor version may break users; from 1.0 on only a major one.
set(evenkey_compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(evenkey_compatibility SameMinorVersion)
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/evenkeyConfigVersion.cmake"
                                 COMPATIBILITY ${evenkey_compatibility} ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/package/evenkeyConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/evenkeyConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindEvenkeyXxHash.cmake"
        DESTINATION "${evenkey_cmake_dir}")

set(evenkey_pc_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
           BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${evenkey_pc_dir}"
           OUTPUT_VARIABLE evenkey_pc_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
           BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
           OUTPUT_VARIABLE evenkey_pc_include)
configure_file("${PROJECT_SOURCE_DIR}/cmake/evenkey.pc.in" "${PROJECT_BINARY_DIR}/package/evenkey.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/evenkey.pc" DESTINATION "${evenkey_pc_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/evenkey")
