# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata of a GGUF file (version 3), read independently of the product."""
import struct

SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9


def _read(file, form):
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _value(file, kind):
    if kind == STRING:
        return file.read(_read(file, "<Q")).decode()
    if kind == ARRAY:
        element, count = _read(file, "<I"), _read(file, "<Q")
        return [_value(file, element) for _ in range(count)]
    return _read(file, SCALARS[kind])


def metadata(path):
    with open(path, "rb") as file:
        assert file.read(4) == b"GGUF" and _read(file, "<I") == 3
        _read(file, "<Q")  # tensors
        count = _read(file, "<Q")
        return {_value(file, STRING): _value(file, _read(file, "<I")) for _ in range(count)}
