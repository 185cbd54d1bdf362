"""LLVM text to machine code of this processor, and machine code to functions."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import binding as llvm

from dalembert.errors import MissingDependency
from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.stack import with_deep_stack

# one call of a kernel: table of arrays, first sample, sample after the last -> not finite?
ENTRY = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

LONG_TEXT = 3000
"""Lines of text from which the code generator takes less effort."""

_lock = threading.Lock()


def _machine(host: Host, effort: int = 2) -> Any:
    """Return LLVM's code generator for a processor.

    Its optimiser of instructions does not run: the passes over the program have done that work in
    a tenth of the time.
    """
    return llvm.Target.from_triple(host.triple).create_target_machine(
        cpu=host.cpu,
        features=host.features,
        opt=effort,
        reloc=host.relocation,
        codemodel=host.code_model,
        jit=True,
    )


def machine_code(text: str, host: Host) -> bytes:
    """Return the object file of LLVM text for a processor.

    Long text gets less effort: the last ordering of instructions takes time with the square of
    the stores, and gains about one part in a hundred.
    """
    return with_deep_stack(lambda: _compile(text, host))


def _compile(text: str, host: Host) -> bytes:
    with _lock:
        machine = _machine(host, 1 if text.count("\n") > LONG_TEXT else 2)
        if not host.has_fma:
            from dalembert.kernel.backends.llvm.fused import with_functions_for_fma

            text = with_functions_for_fma(text)
        module = llvm.parse_assembly(text)
        module.triple = host.triple
        module.data_layout = str(machine.target_data)
        module.verify()
        return machine.emit_object(module)


def _load(object_file: bytes, host: Host) -> Any:
    with _lock:
        # the loader belongs to a compiler, which sets up all of its passes for an empty module
        empty = llvm.parse_assembly("")
        empty.triple = host.triple
        engine = llvm.create_mcjit_compiler(empty, _machine(host))
        engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
        engine.finalize_object()
        return engine


@cache
def require_executable_memory() -> None:
    """Check once that this system runs code that is made while a program runs.

    Raises:
        MissingDependency: it refuses to; a call of such code would end the process.
    """
    try:
        llvm.check_jit_execution()
    except OSError as refusal:
        raise MissingDependency(
            "expected memory for machine code, got none: this system forbids it (SELinux, "
            'MemoryDenyWriteExecute or the like). Allow it, or use backend="numpy"'
        ) from refusal


class Code:
    """Machine code in memory; it lives as long as this object or one of its functions.

    Raises:
        MissingDependency: the system forbids it.
    """

    def __init__(self, object_file: bytes, host: Host) -> None:
        require_executable_memory()
        self._engine = with_deep_stack(lambda: _load(object_file, host))

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
