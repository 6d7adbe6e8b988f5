#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the layering check red: faults planted in a copy of the tree. planted_test.py ROOT CMAKE DEPS"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, CMAKE, DEPS = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
CHECK = pathlib.Path(__file__).with_name("layering.py")
TREE = ("CMakeLists.txt", "cmake", "core", "kernels", "trainer", "app", "resources")

PLANTED_INCLUDES = {
    "core/base/planted.h": ("QString", "core knows no Qt"),
    "core/hf/planted.cpp": ("torch/torch.h", "core knows no torch"),
    "core/hf/planted.h": ("core/plan/plan.h", "core/hf comes before core/plan"),
    "kernels/cpu/planted.cpp": ("ATen/ATen.h", "kernels knows no torch"),
    "trainer/model/planted.cpp": ("core/plan/plan.h", "trainer uses of core only"),
    "trainer/ops/planted.cpp": ("app/text/format.h", "trainer never uses app"),
    "app/runs/planted.cpp": ("trainer/model/decoder.h", "app never uses trainer"),
    "app/runs/planted.h": ("app/planner/planner_page.h", "pages never use each other"),
    "app/widgets/planted.h": ("app/runs/runs_page.h", "app/widgets serves pages and knows none"),
    "app/text/planted.cpp": ("tests/support/env.h", "product code never uses tests"),
}


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rentune-layering-")
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tree"
        self.tree.mkdir()
        for name in TREE:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.tree / name)
            elif (ROOT / name).exists():
                shutil.copy(ROOT / name, self.tree / name)
        (self.tree / "tests").mkdir()
        (self.tree / "tests/CMakeLists.txt").touch()

    def check(self, *arguments):
        done = subprocess.run([sys.executable, CHECK, self.tree, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_the_unchanged_copy_is_green(self):
        self.assertEqual(self.check()[0], 0)

    def test_each_planted_include_is_red(self):
        for name, (header, why) in PLANTED_INCLUDES.items():
            with self.subTest(name):
                planted = self.tree / name
                planted.parent.mkdir(parents=True, exist_ok=True)
                planted.write_text(f'#include "{header}"\n')
                code, out = self.check()
                planted.unlink()
                self.assertEqual(code, 1)
                self.assertIn(f"{name}:1: includes {header}: {why}", out)

    def links(self):
        subprocess.run([CMAKE, "-S", self.tree, "-B", self.tree / "build", "-G", "Ninja", "-DRENTUNE_APP=OFF",
                        "-DRENTUNE_TRAINER=OFF", f"-DRENTUNE_DEPS={DEPS}"], check=True, stdout=subprocess.DEVNULL)
        return self.tree / "build/links.txt"

    def test_planted_links_are_red(self):
        self.assertEqual(self.check(self.links()), (0, "layering: every include and link goes the right way\n"))
        with open(self.tree / "core/base/CMakeLists.txt", "a") as cmake:
            cmake.write("\ntarget_link_libraries(core_base PUBLIC torch_cpu)\n")
        with open(self.tree / "kernels/CMakeLists.txt", "a") as cmake:
            cmake.write("\ntarget_link_libraries(kernels_cpu PRIVATE core_base)\n")
        code, out = self.check(self.links())
        self.assertEqual(code, 1)
        self.assertIn("target core_base links torch_cpu: core knows no torch", out)
        self.assertIn("target core_hf links torch_cpu: core knows no torch", out)  # through core_base
        self.assertIn("target kernels_cpu links core_base: kernels never uses core", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
