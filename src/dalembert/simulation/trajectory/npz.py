"""Trajectories in NumPy's .npz: a zip of arrays, stored as they are in memory."""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile

import numpy as np

MAX_MEMBERS = 100
META = "meta"
# the head of an array as NumPy's own writer makes it; nothing else is accepted
_HEAD = re.compile(
    rb"\{'descr': '([<>])(f8|U[0-9]{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9]{0,12}(?:, [0-9]{1,12})*),?\), \} *\n"
)
_MAGIC = b"\x93NUMPY\x01\x00"
# what a damaged zip makes the standard library raise
_DAMAGE = (
    *(zipfile.BadZipFile, struct.error, EOFError, NotImplementedError),
    *(RuntimeError, IndexError, OverflowError, OSError, KeyError),
)

Arrays = dict[str, np.ndarray]


def write_npz(arrays: Arrays, meta: dict, text: str) -> bytes:
    """Return the bytes of a file with the arrays and the text."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **{META: np.array(text)}, **arrays)
    # not getbuffer(): where writing fails, Python 3.12 collects file and view in the wrong order
    return file.getvalue()


def read_npz(data: bytes) -> tuple[Arrays, str]:
    """Return the arrays of a file and its text.

    Members that are compressed or overlap are refused, so that nothing grows in memory beyond the
    file.

    Raises:
        ValueError: damaged, or not of our making.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = _members(file, len(data))
            found = {name: _value(file.read(info)) for name, info in members.items()}
    except _DAMAGE as error:
        raise ValueError(f"a damaged zip: {str(error)[:80]}") from None
    text = found.pop(META, None)
    arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    if not isinstance(text, str) or len(arrays) < len(found):
        raise ValueError("a text in the place of an array, or no text 'meta'")
    return arrays, text


def _members(file: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    infos = file.infolist()
    if len(infos) > MAX_MEMBERS or sum(info.file_size for info in infos) > size:
        raise ValueError("more members, or longer ones, than the file can hold")
    for info in infos:
        name = info.filename.removesuffix(".npy")
        if name == info.filename or name in members:
            raise ValueError(f"{info.filename[:40]!r} is no array, or there twice")
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise ValueError(f"{info.filename[:40]!r} is compressed, which our files are not")
        members[name] = info
    return members


def _value(data: bytes) -> np.ndarray | str:
    """Return an array of doubles, or a text, from the bytes of a member."""
    start = len(_MAGIC) + 2
    if not data.startswith(_MAGIC):
        raise ValueError("a member that is no array of NumPy")
    end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
    head = _HEAD.fullmatch(data[start:end])
    if head is None:
        raise ValueError("an array of another kind than doubles")
    order, kind, fortran, sizes = (part.decode("ascii") for part in head.groups())
    shape = tuple(int(n) for n in sizes.split(", ") if n)
    size = 8 if kind == "f8" else 4 * int(kind[1:])
    if len(data) - end != math.prod(shape) * size:
        raise ValueError("an array that is longer or shorter than it says")
    if kind != "f8":
        # NumPy itself would let pass what is no Unicode
        return data[end:].decode("utf-32-le" if order == "<" else "utf-32-be").rstrip("\0")
    array = np.frombuffer(data, order + kind, offset=end)
    # a copy: its own memory, aligned, in the order of this machine
    return np.array(array.reshape(shape, order="F" if fortran == "True" else "C"), float, order="C")
