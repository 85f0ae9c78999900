# SPDX-License-Identifier: BSL-1.0
import os
import re

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class EvenkeyConan(ConanFile):
    name = "evenkey"
    package_type = "header-library"
    description = "DynamoDB write sharding: one hot index key becomes N, read back as one ordered list"
    license = "BSL-1.0"
    topics = ("dynamodb", "write-sharding", "hot-partition", "header-only")
    settings = "os", "arch", "compiler", "build_type"
    exports = "LICENSE", "include/evenkey/version.hpp"
    exports_sources = "LICENSE", "include/*"
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "evenkey", "version.hpp"))
        numbers = re.findall(r"^#define EVENKEY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE)
        if len(numbers) != 3:
            raise ConanException(f"version.hpp: MAJOR, MINOR and PATCH not found (read {numbers})")
        self.version = ".".join(numbers)

    def requirements(self):
        # Only its header is used, but users of evenkey include it.
        self.requires("xxhash/[>=0.8.0 <0.9]", transitive_headers=True)

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        # The names that `cmake --install` gives.
        self.cpp_info.set_property("cmake_file_name", "evenkey")
        self.cpp_info.set_property("cmake_target_name", "evenkey::evenkey")
        self.cpp_info.set_property("pkg_config_name", "evenkey")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
