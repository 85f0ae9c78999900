#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks vcpkg manifests by the rules of vcpkg's own schema and of its maintainers' guide, as far as they concern us.

usage: check_manifests.py PROJECT'S-MANIFEST PORT'S-FOLDER
Source: learn.microsoft.com/vcpkg/reference/vcpkg-json, …/vcpkg/contributing/maintainer-guide.
"""

import json
import pathlib
import re
import sys

FIELDS = {
    "$schema", "name", "version", "version-semver", "version-date", "version-string", "port-version", "maintainers",
    "summary", "description", "homepage", "documentation", "license", "builtin-baseline", "dependencies", "overrides",
    "features", "default-features", "supports", "vcpkg-configuration",
}  # fmt: skip
# vcpkg format-manifest writes the fields of a manifest in this order.
ORDER = ["$schema", "name", "version-semver", "description", "homepage", "documentation", "license", "supports",
         "dependencies", "features"]  # fmt: skip
DEPENDENCY_FIELDS = {"name", "features", "host", "default-features", "platform", "version>="}
NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
SEMVER = re.compile(r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")
DEPRECATED = re.compile(r"vcpkg_(configure_cmake|install_cmake|build_cmake|fixup_cmake_targets|apply_patches)|\bTODO\b")


def name_of(dependency):
    return dependency if isinstance(dependency, str) else dependency["name"]


def faults_of_dependencies(dependencies):
    for dependency in dependencies:
        if not isinstance(dependency, str) and set(dependency) - DEPENDENCY_FIELDS:
            yield f"a dependency's fields: {dependency}"
        if not NAME.match(name_of(dependency)):
            yield f"a dependency's name: {dependency}"
    names = [name_of(dependency) for dependency in dependencies]
    hosts = [name_of(d) for d in dependencies if not isinstance(d, str) and d.get("host")]
    if names != hosts + sorted(name for name in names if name not in hosts) or hosts != sorted(hosts):
        yield f"dependencies are not sorted, those of the host first: {names}"


def faults_of(manifest):
    unknown = set(manifest) - FIELDS
    if unknown:
        yield f"unknown fields {sorted(unknown)}"
    if [field for field in ORDER if field in manifest] != list(manifest):
        yield f"fields out of order: {list(manifest)}"
    if not NAME.match(manifest.get("name", "")):
        yield "no name of lower-case letters, digits and hyphens"
    if not SEMVER.match(manifest.get("version-semver", "")):
        yield "no version-semver"
    if not manifest.get("description") or manifest["description"].endswith("."):
        yield "no description, or one that ends in a full stop"
    if manifest.get("license") != "BSL-1.0":
        yield "its licence is not BSL-1.0"
    yield from faults_of_dependencies(manifest.get("dependencies", []))
    for name, feature in manifest.get("features", {}).items():
        if not NAME.match(name) or set(feature) - {"description", "dependencies", "supports"}:
            yield f"feature {name}: its name or fields"
        if not feature.get("description"):
            yield f"feature {name}: no description"
        yield from faults_of_dependencies(feature.get("dependencies", []))


def faults_of_port(port):
    files = {file.name for file in port.iterdir()}
    if files != {"vcpkg.json", "portfile.cmake", "usage"}:
        yield f"files {sorted(files)}"
    manifest = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))
    if manifest["name"] != port.name:
        yield f"its folder is {port.name}"
    portfile = (port / "portfile.cmake").read_text(encoding="utf-8")
    if DEPRECATED.search(portfile):
        yield "portfile.cmake calls what vcpkg has given up, or has something to do left"
    for helper, package in (("vcpkg_cmake_configure", "vcpkg-cmake"), ("vcpkg_cmake_config_fixup", "vcpkg-cmake-config")):
        wanted = {"name": package, "host": True}
        if (helper in portfile) != (wanted in manifest["dependencies"]):
            yield f"{helper} comes from the host's {package}: both or none"
    if "vcpkg_install_copyright" not in portfile or "share/${PORT}" not in portfile:
        yield "portfile.cmake installs no copyright or no usage"
    usage = (port / "usage").read_text(encoding="utf-8")
    if not usage.startswith("evenkey is header-only and can be used from CMake via:\n\n  find_package(evenkey CONFIG REQUIRED)"):
        yield "usage does not follow vcpkg's template"


def main():
    project, port = map(pathlib.Path, sys.argv[1:3])
    faults = []
    for path in (project, port / "vcpkg.json"):
        text = path.read_text(encoding="utf-8")
        manifest = json.loads(text)
        faults += [f"{path}: {fault}" for fault in faults_of(manifest)]
        if text != json.dumps(manifest, indent=2, ensure_ascii=False) + "\n":
            faults.append(f"{path}: not laid out as `vcpkg format-manifest` does")
    faults += [f"{port}: {fault}" for fault in faults_of_port(port)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
