#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that use goes one way: layering.py ROOT [LINKS], LINKS as cmake/RentuneLinks.cmake writes it.

One rule table serves includes and links: a linked target counts as its folder, an outside library as a header of it.
"""
import pathlib
import re
import sys

LAYERS = ("core", "kernels", "trainer", "app")
PAGES = ("planner", "runs", "data", "nodes")
SERVING_PAGES = ("text", "widgets", "charts")
TRAINER_USES_OF_CORE = ("base", "wire", "hf", "text", "data", "job", "engines")

OUTSIDE = {
    "Qt": re.compile(r"Q[A-Z]|Qt"),
    "torch": re.compile(r"(torch|ATen|c10|caffe2)(\b|_)"),
    "CUDA": re.compile(r"(cuda|cublas|cudnn|nccl|nvml)", re.IGNORECASE),
}
FORBIDDEN_OUTSIDE = {
    "core": ("Qt", "torch", "CUDA"),
    "kernels": ("Qt", "torch"),
    "trainer": ("Qt",),
    "app": ("torch", "CUDA"),
}
FORBIDDEN_LAYERS = {
    "core": ("kernels", "trainer", "app"),
    "kernels": ("core", "trainer", "app"),
    "trainer": ("app",),
    "app": ("kernels", "trainer"),
}


def core_order(root):
    """core's folders in their order of use, which core/CMakeLists.txt states."""
    return re.findall(r"add_subdirectory\((\w+)\)", (root / "core/CMakeLists.txt").read_text())


def refusal(user, used, order):
    """Why `user` (a folder such as core/hf) may not use `used` (a folder, or a header of an outside library)."""
    layer, _, part = user.partition("/")
    part = part.split("/")[0]
    for library in FORBIDDEN_OUTSIDE[layer]:
        if OUTSIDE[library].match(used):
            return f"{layer} knows no {library}"
    used_layer, _, used_part = used.partition("/")
    used_part = used_part.split("/")[0]
    if used_layer == "tests":
        return "product code never uses tests"
    if used_layer in FORBIDDEN_LAYERS[layer]:
        return f"{layer} never uses {used_layer}"
    if layer == "trainer" and used_layer == "core" and used_part not in TRAINER_USES_OF_CORE:
        return "trainer uses of core only " + ", ".join(TRAINER_USES_OF_CORE)
    if layer == used_layer == "core" and part in order and used_part in order and order.index(used_part) > order.index(part):
        return f"core/{part} comes before core/{used_part} (core/CMakeLists.txt)"
    if layer == used_layer == "app" and used_part in PAGES and used_part != part:
        if part in PAGES:
            return "pages never use each other"
        if part in SERVING_PAGES:
            return f"app/{part} serves pages and knows none"
    return None


def check_includes(root):
    order = core_order(root)
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu", ".inc"):
                continue
            user = path.parent.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if found := re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line):
                    if why := refusal(user, found[1], order):
                        yield f"{path.relative_to(root)}:{number}: includes {found[1]}: {why}"


def read_links(links_file):
    """{target: (folder, [linked names])}"""
    targets = {}
    for line in links_file.read_text().splitlines():
        target, folder, names = line.split("\t")
        words = re.split(r"[\s<>]+", re.sub(r"\$<\w+:", " ", names))  # a path or a flag is no target
        targets[target] = (folder, [word for word in words if re.fullmatch(r"[A-Za-z][\w.:+-]*", word)])
    return targets


def reachable(target, targets):
    """Everything `target` links, directly or through others."""
    seen, waiting = set(), [target]
    while waiting:
        for name in targets.get(waiting.pop(), ("", ()))[1]:
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return sorted(seen)


def check_links(root, links_file):
    order, targets = core_order(root), read_links(links_file)
    for target, (folder, _) in targets.items():
        if folder.split("/")[0] not in LAYERS:
            continue
        for name in reachable(target, targets):
            used = targets[name][0] if name in targets and targets[name][0] else name
            if why := refusal(folder, used, order):
                yield f"target {target} links {name}: {why}"


def main():
    root = pathlib.Path(sys.argv[1])
    faults = list(check_includes(root))
    if len(sys.argv) > 2:
        faults += check_links(root, pathlib.Path(sys.argv[2]))
    print("\n".join(faults) or "layering: every include and link goes the right way")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
