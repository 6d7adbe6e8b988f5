#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the files git knows: hygiene.py ROOT. Licence lines, sizes, paths of one machine, links, complete translations."""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

LICENCE = "SPDX-License-Identifier: GPL-3.0-or-later"
SOURCES = (".cpp", ".h", ".inc", ".cu", ".py", ".sh", ".cmake", ".glsl")
SOURCE_NAMES = ("CMakeLists.txt", "dev", "run")
LARGEST_FILE = 2 << 20
LARGEST_TEST_DATA = 20_000_000
MACHINE_PATH = re.compile(r"(?<![\w.~}/$-])/(work|home/\w+|root|Users/\w+)/")


def git_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    return [root / name for name in listed.split("\0") if name and (root / name).is_file()]


def unfinished(catalogue):
    """Source texts of a .ts file that have no finished translation."""
    for message in xml.parse(catalogue).getroot().iter("message"):
        translation = message.find("translation")
        forms = translation.findall("numerusform") or [translation]
        if translation.get("type") == "unfinished" or not all(form.text for form in forms):
            yield message.findtext("source")


def faults_of(path, name):
    size = path.stat().st_size
    if size > LARGEST_FILE:
        yield f"{name}: {size} bytes, more than {LARGEST_FILE}"
    if name.startswith("tests/data/"):
        return
    is_source = path.suffix in SOURCES or path.name in SOURCE_NAMES
    text = path.read_bytes().decode("utf-8", errors="replace")
    if is_source and LICENCE not in "".join(text.splitlines(keepends=True)[:2]):
        yield f"{name}:1: no line {LICENCE}"
    if is_source or path.suffix in (".md", ".json", ".txt", ".lock", ".in"):
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line):
                yield f"{name}:{number}: a path of one machine"
    if path.suffix == ".md":
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", text):
            if not (path.parent / link).exists():
                yield f"{name}: links {link}, which is not there"
    if path.suffix == ".ts":
        for source in unfinished(path):
            yield f"{name}: not translated: {source}"


def main():
    root = pathlib.Path(sys.argv[1])
    faults, test_data = [], 0
    for path in git_files(root):
        name = path.relative_to(root).as_posix()
        faults += faults_of(path, name)
        test_data += path.stat().st_size if name.startswith("tests/data/") else 0
    if test_data > LARGEST_TEST_DATA:
        faults.append(f"tests/data: {test_data} bytes, more than {LARGEST_TEST_DATA}")
    print("\n".join(faults) or "hygiene: nothing found")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
