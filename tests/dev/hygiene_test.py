#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the hygiene check red: each fault planted alone in a small repository."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("hygiene.py")
LICENCE = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
CATALOGUE = "<TS><context><message><source>Run</source><translation{}>{}</translation></message></context></TS>"

PLANTED = {
    "core/a.cpp": ("int a;\n", "core/a.cpp:1: no line SPDX"),
    "core/b.h": (LICENCE + 'const char *p = "/home/' + 'someone/x";\n', "core/b.h:2: a path of one machine"),
    "resources/big.bin": ("0" * ((2 << 20) + 1), "resources/big.bin: 2097153 bytes"),
    "docs/a.md": ("![window](images/none.png)\n", "docs/a.md: links images/none.png, which is not there"),
    "translations/a.ts": (CATALOGUE.format(' type="unfinished"', "x"), "translations/a.ts: not translated: Run"),
    "translations/b.ts": (CATALOGUE.format("", ""), "translations/b.ts: not translated: Run"),
}


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rentune-hygiene-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        subprocess.run(["git", "-C", self.root, "add", "-A"], check=True)
        return path

    def check(self):
        done = subprocess.run([sys.executable, CHECK, self.root], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_good_files_are_green(self):
        self.put("core/a.cpp", LICENCE + "int a;\n")
        self.put("translations/a.ts", CATALOGUE.format("", "运行"))
        self.assertEqual(self.check(), (0, "hygiene: nothing found\n"))

    def test_each_fault_is_red(self):
        for name, (text, fault) in PLANTED.items():
            with self.subTest(name):
                planted = self.put(name, text)
                code, out = self.check()
                planted.unlink()
                self.assertEqual(code, 1)
                self.assertIn(fault, out)

    def test_too_much_test_data_is_red(self):
        for number in range(11):
            self.put(f"tests/data/{number}.bin", "0" * (2 << 20))
        self.assertIn("tests/data: 23068672 bytes", self.check()[1])


if __name__ == "__main__":
    unittest.main()
