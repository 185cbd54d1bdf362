"""Where the fields of XLA's interface lie: xla/ffi/api/c_api.h, version 0, 64-bit addresses.

The interface is binary and stable within a version; jaxlib ships its header, and every field that
a handler uses is compared with it before the first handler is made.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from dalembert.errors import MissingDependency

OFFSETS = {
    "CallFrame.extension_start": 8,
    "CallFrame.api": 16,
    "CallFrame.ctx": 24,
    "CallFrame.stage": 32,
    "CallFrame.args.size": 56,
    "CallFrame.args.args": 72,
    "CallFrame.rets.size": 96,
    "CallFrame.rets.rets": 112,
    "Buffer.dtype": 16,
    "Buffer.data": 24,
    "Buffer.rank": 32,
    "Buffer.dims": 40,
    "Extension_Base.type": 8,
    "Metadata_Extension.metadata": 24,
    "Metadata.api_version.major_version": 24,
    "Metadata.api_version.minor_version": 28,
    "Metadata.traits": 32,
    "Api.XLA_FFI_Error_Create": 48,
    "Api.XLA_FFI_Error_Destroy": 64,
    "Api.XLA_FFI_Stream_Get": 80,
    "Api.XLA_FFI_ThreadPool_Schedule": 136,
    "Api.XLA_FFI_ThreadPool_NumThreads": 144,
    "Error_Create_Args.message": 16,
    "Error_Create_Args.errc": 24,
    "Error_Destroy_Args.error": 16,
    "ThreadPool_Schedule_Args.ctx": 16,
    "ThreadPool_Schedule_Args.task": 24,
    "ThreadPool_Schedule_Args.data": 32,
    "ThreadPool_NumThreads_Args.ctx": 16,
    "ThreadPool_NumThreads_Args.num_threads": 24,
    "Stream_Get_Args.ctx": 16,
    "Stream_Get_Args.stream": 24,
}
"""Bytes from the start of a struct to a field."""

SIZES = {
    "Error_Create_Args": 28,
    "Error_Destroy_Args": 24,
    "ThreadPool_Schedule_Args": 40,
    "ThreadPool_NumThreads_Args": 32,
    "Stream_Get_Args": 32,
}
"""Bytes up to the end of the last field, without padding: what callers state as their size."""

RENAMED = {"Extension_Base": "InternalExtension"}
"""Later names of structs: jax 0.11."""

QUERY_METADATA, EXECUTE = 1, 3
DTYPES = {"float32": 11, "float64": 12}
INVALID_ARGUMENT, RESOURCE_EXHAUSTED, INTERNAL = 3, 8, 13
GRAPH_COMPATIBLE = 1
"""A trait of a handler: what it launches may be recorded into a CUDA graph."""

VERSION = (0, 1)
"""The oldest version that has all of these fields; later ones of version 0 accept it."""


@cache
def check_layout() -> None:
    """Compare the fields with the header that jaxlib ships.

    Raises:
        MissingDependency: JAX is older than its interface, or a field lies elsewhere.
    """
    import jax  # pyright: ignore[reportMissingImports]

    if not hasattr(jax, "ffi"):
        raise MissingDependency("expected jax 0.5 or later for compiled kernels, got an older one")
    folder = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api"
    found, ends = header_layout((folder / "c_api.h").read_text(encoding="utf-8"))
    for name, expected in OFFSETS.items():
        struct, _, field = name.partition(".")
        struct = struct if struct in found else RENAMED.get(struct, struct)
        _compare(f"{name} of XLA's interface", expected, found.get(struct, {}).get(field))
    for struct, expected in SIZES.items():
        _compare(f"the end of {struct} of XLA's interface", expected, ends.get(struct))


def _compare(what: str, expected: int, got: int | None) -> None:
    if got != expected:
        where = "no such field" if got is None else f"{got}"
        raise MissingDependency(f"expected {what} at byte {expected}, got {where}")


def header_layout(text: str) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
    """Return offsets of the fields by struct, and where the last field of each struct ends.

    Names come without their prefix XLA_FFI_; fields of structs in structs as ``outer.inner``.

    >>> header_layout("struct XLA_FFI_Pair {\\n  size_t size;\\n  int* first;\\n};")
    ({'Pair': {'size': 0, 'first': 8}}, {'Pair': 16})
    """
    text = re.sub(r"//[^\n]*", "", text)
    # members of the table of functions are pointers with the name of their type
    text = re.sub(r"_XLA_FFI_API_STRUCT_FIELD\((\w+)\)", r"\1* \1", text)
    sizes = {"int": 4, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "size_t": 8}
    sizes |= dict.fromkeys(re.findall(r"}\s*(XLA_FFI_\w+);", text), 4)
    sizes |= dict.fromkeys(re.findall(r"typedef u?int32_t (XLA_FFI_\w+);", text), 4)
    steps, offsets, ends = dict(sizes), {}, {}
    for name, body in re.findall(r"struct (XLA_FFI_\w+) {(.*?)\n}", text, re.DOTALL):
        at, widest, fields = 0, 1, {}
        for field in filter(None, map(str.strip, body.split(";"))):
            kind, label = _kind_and_label(field)
            size, step = (8, 8) if kind.endswith("*") else (sizes.get(kind), steps.get(kind))
            if size is None or step is None:
                # a kind that is not known: what follows has no place
                break
            at = -(-at // step) * step
            fields[label] = at
            inner = offsets.get(kind.removeprefix("XLA_FFI_"), {})
            fields |= {f"{label}.{x}": at + place for x, place in inner.items()}
            at, widest = at + size, max(widest, step)
        short = name.removeprefix("XLA_FFI_")
        offsets[short], ends[short] = fields, at
        sizes[name], steps[name] = -(-at // widest) * widest, widest
    return offsets, ends


def _kind_and_label(field: str) -> tuple[str, str]:
    """Return type and name of a member; a pointer to a function is a pointer."""
    plain = re.sub(r"\(\*(\w+)\)\(.*\)", r"* \1", field, flags=re.DOTALL)
    match = re.fullmatch(r"(.*?)(\w+)", plain, re.DOTALL)
    kind, label = match.groups() if match else ("", plain)
    return kind.replace("const", "").replace("struct ", "").strip(), label
