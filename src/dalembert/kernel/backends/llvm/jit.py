"""LLVM text to machine code of this processor, and machine code to functions."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import llvmlite
from llvmlite import binding as llvm

# one call of a kernel: table of arrays, first sample, sample after the last -> not finite?
ENTRY = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

LONG_TEXT = 3000
"""Lines of text from which the code generator takes less effort."""

_lock = threading.Lock()


class Host(NamedTuple):
    """What this processor is: its name, its features, and the widest vector of doubles."""

    triple: str
    cpu: str
    features: str
    width: int

    @property
    def registers(self) -> int:
        """The number of vector registers: 32 with AVX-512 and on ARM, 16 on other Intel and AMD."""
        return 16 if self.triple.startswith(("x86", "i686")) and self.width < 8 else 32

    def __str__(self) -> str:
        return f"{self.triple} {self.cpu} {self.features} llvmlite {llvmlite.__version__}"


@cache
def host() -> Host:
    """Return the processor that this process runs on."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    if features.get("avx512f") and features.get("avx512dq"):
        width = 8
    elif features.get("avx") and features.get("fma"):
        width = 4
    else:
        # SSE2 and NEON
        width = 2
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten(), width)


def _machine(effort: int = 2) -> Any:
    """Return LLVM's code generator for this processor.

    Its optimiser of instructions does not run: the passes over the program have done that work in
    a tenth of the time.
    """
    this = host()
    # code and constants are in separate blocks of memory. In a process with many mappings these may
    # lie more than 2 GB apart, which the small code model does not reach and the loader aborts at
    is_far = this.triple.startswith("x86_64") and "apple" not in this.triple
    return llvm.Target.from_triple(this.triple).create_target_machine(
        cpu=this.cpu,
        features=this.features,
        opt=effort,
        reloc="static" if is_far else "pic",
        codemodel="large" if is_far else "small",
        jit=True,
    )


def machine_code(text: str) -> bytes:
    """Return the object file of LLVM text.

    Long text gets less effort: the last ordering of instructions takes time with the square of
    the stores, and gains about one part in a hundred.
    """
    with _lock:
        machine = _machine(1 if text.count("\n") > LONG_TEXT else 2)
        module = llvm.parse_assembly(text)
        module.triple = host().triple
        module.data_layout = str(machine.target_data)
        module.verify()
        return machine.emit_object(module)


class Code:
    """Machine code in memory; it lives as long as this object or one of its functions."""

    def __init__(self, object_file: bytes) -> None:
        with _lock:
            empty = llvm.parse_assembly("")
            empty.triple = host().triple
            self._engine = llvm.create_mcjit_compiler(empty, _machine())
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return where a function begins."""
        return self._engine.get_function_address(name)

    def function(self, name: str, *, keep_gil: bool = False) -> Callable[[Any, int, int], int]:
        """Return the entry of that name as a ctypes function.

        A call gives the GIL back while it runs, unless it is over before that pays.
        """
        kind = ctypes.PYFUNCTYPE if keep_gil else ctypes.CFUNCTYPE
        function: Any = kind(*ENTRY)(self.address(name))
        # the function keeps its code
        function.code = self
        return function
