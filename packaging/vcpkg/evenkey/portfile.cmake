# SPDX-License-Identifier: BSL-1.0
# The sources are those that this port lies in.
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DEVENKEY_BUILD_TESTS=OFF
        -DEVENKEY_BUILD_EXAMPLES=OFF
        -DEVENKEY_BUILD_BENCHMARKS=OFF
        -DEVENKEY_INSTALL=ON
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/evenkey)

# The headers are the same in debug, the pkg-config file is not: by xxHash it links with one library or the other. vcpkg
# wants what links in lib/.
foreach(prefix IN ITEMS "${CURRENT_PACKAGES_DIR}" "${CURRENT_PACKAGES_DIR}/debug")
    if(EXISTS "${prefix}/share/pkgconfig")
        file(MAKE_DIRECTORY "${prefix}/lib")
        file(RENAME "${prefix}/share/pkgconfig" "${prefix}/lib/pkgconfig")
    endif()
endforeach()
vcpkg_fixup_pkgconfig()

# vcpkg keeps the licence as share/evenkey/copyright.
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/share/licenses"
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
)
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
