# SPDX-License-Identifier: BSL-1.0
import os

from conan import ConanFile


class SystemXxHashConan(ConanFile):
    """xxHash of this machine as a package, so that the test needs no server of packages."""

    name = "xxhash"
    version = "0.8.0"  # the least that evenkey takes; the header checks what is really there
    package_type = "header-library"

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.includedirs = [os.environ["XXHASH_INCLUDE"]]
        self.cpp_info.set_property("cmake_file_name", "xxHash")
        self.cpp_info.set_property("cmake_target_name", "xxHash::xxhash")
