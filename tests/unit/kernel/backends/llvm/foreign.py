"""Make every kind of module for another system, load it, and run it where this processor can.

``python -m tests.unit.kernel.backends.llvm.foreign SYSTEM`` prints for each kind what was done. It
is a process of its own, since LLVM's loader ends the process at what it cannot load.

The loader gets every outside function from here, as far from the code as can be: on a Mac the
system's libraries lie gigabytes away. For another processor they are addresses without anything.
Code of Windows for this processor calls and is called through functions that change the convention
of the call.
"""

from __future__ import annotations

import ctypes
import json
import platform
import sys
from collections.abc import Callable
from typing import Any

from llvmlite import binding as llvm

from dalembert.errors import MissingDependency
from dalembert.kernel.backends.llvm import cached_code, jit, python_door, python_entry, python_into
from dalembert.kernel.backends.llvm.host import Host, this_host
from tests.unit.kernel.backends.llvm.kinds import KINDS, check
from tests.unit.kernel.backends.llvm.object_file import wanted_names

SYSTEMS = {
    "linux-x86_64": Host("x86_64-unknown-linux-gnu", "haswell", "+fma", 4),
    "linux-arm64": Host("aarch64-unknown-linux-gnu", "generic", "", 2),
    "macos-x86_64": Host("x86_64-apple-darwin22", "haswell", "+fma", 4),
    "macos-arm64": Host("arm64-apple-darwin22", "apple-m1", "", 2),
    "windows-x86_64": Host("x86_64-pc-windows-msvc", "haswell", "+fma", 4),
    "windows-arm64": Host("aarch64-pc-windows-msvc", "generic", "", 2),
}
LIBRARY = {"malloc", "free", *python_entry.DECLARATIONS}
THREADS = {"attr_init", "attr_setstacksize", "attr_destroy", "create", "join"}
POSIX = LIBRARY | {f"pthread_{name}" for name in THREADS} | {"sched_yield"}
OUTSIDE = {
    # what the C library, CPython and the code generator's own runtime have there
    "linux-x86_64": POSIX | {"memset"},
    "linux-arm64": POSIX | {"memset"},
    "macos-x86_64": POSIX | {"__bzero"},
    "macos-arm64": POSIX | {"bzero"},
    # ntdll has __chkstk; _fltused is a mark that nobody calls
    "windows-x86_64": LIBRARY | {"memset", "__chkstk", "SwitchToThread", "_fltused"},
    "windows-arm64": LIBRARY | {"memset", "__chkstk", "SwitchToThread"},
}
FAR = 0x1234_0000
"""An address below all code and far from it."""
JUMPS = {
    # mov r11, address; jmp r11
    False: (b"\x49\xbb", b"\x41\xff\xe3"),
    # ldr x16, behind; br x16
    True: (b"\x50\x00\x00\x58\x00\x02\x1f\xd6", b""),
}
"""Code before and after an address that jumps there, by whether the processor is an ARM."""


def main(system: str) -> dict[str, str]:
    """Return what was done with each kind."""
    host = SYSTEMS[system]
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    is_arm = platform.machine().lower() in ("arm64", "aarch64")
    can_run = host.triple.startswith(("arm64", "aarch64")) == is_arm
    if can_run:
        here = this_host()
        host = host._replace(cpu=here.cpu, features=here.features, width=here.width)
    is_windows = "windows" in system
    # threads of Windows are Python's, and what XLA gives a handler cannot be called from there
    runs = {kind: can_run and not (is_windows and kind == "XLA handler") for kind in KINDS}
    wanted: set[str] = set()
    finds: Callable[[str], int] = nowhere
    if can_run:
        finds = address_of
        if is_windows and not is_arm:
            finds = with_windows_convention
            call_through_stubs()
        finds = from_far(finds, *JUMPS[is_arm])
    _watch(wanted, finds)
    done = {}
    for name, kind in KINDS.items():
        if is_windows and name == "threads":
            continue
        run = kind.make(host)
        done[name] = "loaded"
        if runs[name]:
            try:
                check(run(), kind)
                done[name] = "ran"
            except (ImportError, MissingDependency):
                pass
    names = {name.removeprefix("_") if "macos" in system else name for name in wanted}
    unknown = names - OUTSIDE[system]
    assert not unknown, f"{system} may not have {sorted(unknown)}"
    return done


def _watch(wanted: set[str], finds: Callable[[str], int]) -> None:
    """Give the loader every function that an object file asks for, before it is loaded."""

    class Watched(jit.Code):
        def __init__(self, object_file: bytes, host: Host) -> None:
            for name in wanted_names(object_file) - wanted:
                wanted.add(name)
                plain = name.removeprefix("_") if "apple" in host.triple else name
                llvm.add_symbol(name, finds(plain))
            super().__init__(object_file, host)

    cached_code.Code = jit.Code = Watched
    python_entry.register_symbols = python_door.register_symbols = lambda: None


def from_far(finds: Callable[[str], int], before: bytes, behind: bytes) -> Callable[[str], int]:
    """Return a search for functions that gives far addresses, from which code jumps to them."""
    if sys.platform != "linux":
        return finds
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    # to be read, written and executed; private and anonymous, at this place and nowhere else
    size, rights, place = 1 << 16, 0x7, 0x02 | 0x20 | 0x100000
    assert libc.mmap(FAR, size, rights, place, -1, 0) == FAR
    next_place = iter(range(FAR, FAR + size, 32))

    def find(name: str) -> int:
        jump = before + finds(name).to_bytes(8, "little") + behind
        at = next(next_place)
        ctypes.memmove(at, jump, len(jump))
        return at

    return find


def nowhere(_: str) -> int:
    """Return a far address without code."""
    return FAR


def address_of(name: str) -> int:
    """Return where a function of this process is."""
    if name in ("__bzero", "bzero"):
        return _compiled(_ZERO.format(name="zero"), "zero")
    if name in ("__chkstk", "_fltused"):
        return _compiled("define void @nothing() { ret void }", "nothing")
    name = {"SwitchToThread": "sched_yield"}.get(name, name)
    found = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    assert found is not None
    return found


_ZERO = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @{name}(ptr %at, i64 %size) {{
  call void @llvm.memset.p0.i64(ptr %at, i8 0, i64 %size, i1 false)
  ret void
}}"""

_kept: list[jit.Code] = []


def _compiled(text: str, name: str) -> int:
    code = _ORIGINAL(jit.machine_code(text, this_host()), this_host())
    _kept.append(code)
    return code.address(name)


_ORIGINAL = jit.Code


def with_windows_convention(name: str) -> int:
    """Return a function that Windows code calls, and that calls the one of this process."""
    if name in ("__chkstk", "_fltused"):
        # keeps every register
        return address_of(name)
    return _compiled(_stub("win64cc ", "", address_of(name), 6), "stub")


def from_windows(address: int) -> int:
    """Return a function that this process calls, and that calls the one of Windows code."""
    return _compiled(_stub("", "win64cc ", address, 5), "stub")


def _stub(outer: str, inner: str, address: int, arity: int) -> str:
    """Return a function that calls another in its convention; arguments too many do no harm."""
    heads = ", ".join(f"i64 %a{k}" for k in range(arity))
    return (
        f"define {outer}i64 @stub({heads}) {{\n"
        f"  %r = call {inner}i64 inttoptr (i64 {address} to ptr)({heads})\n  ret i64 %r\n}}"
    )


def call_through_stubs() -> None:
    """Let Python and ctypes call Windows code; code itself gets the addresses as they are."""
    entry, plain = python_entry.python_function, jit.Code.function

    class Stubs:
        def __init__(self, code: Any) -> None:
            self.code = code

        def address(self, name: str) -> int:
            return from_windows(self.code.address(name))

    def python_function(code: Any, own: Any, fallback: Any, *name: str) -> Any:
        return entry(Stubs(code), own, fallback, *name)  # type: ignore[arg-type]

    def function(code: Any, name: str, **options: Any) -> Any:
        found: Any = plain(Stubs(code), name, **options)  # type: ignore[arg-type]
        found.code = code
        return found

    python_entry.python_function = python_into.python_function = python_function
    python_door.python_function = python_function
    jit.Code.function = function  # type: ignore[method-assign]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
