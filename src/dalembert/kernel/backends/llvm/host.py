"""What machine code is made for: a processor and its system."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import llvmlite
from llvmlite import binding as llvm

from dalembert.kernel.backends.llvm.reals import DOUBLE, Real


class Host(NamedTuple):
    """A processor and its system.

    ``width`` is how many doubles stand side by side in a vector. Any power of two is right on any
    processor: LLVM divides vectors that are too wide. Writers ask nobody else what they write for,
    so that code for another width, for fewer features or for another system can be made anywhere.
    """

    triple: str
    cpu: str
    features: str
    width: int

    @property
    def is_windows(self) -> bool:
        """Whether the system is Windows."""
        return "windows" in self.triple

    @property
    def registers(self) -> int:
        """The number of vector registers: 32 with AVX-512 and on ARM, 16 on other Intel and AMD."""
        return 16 if self.triple.startswith(("x86", "i686")) and self.width < 8 else 32

    @property
    def runs_here(self) -> bool:
        """Whether this process may call the code: it is for its processor and system."""
        return self.triple == this_host().triple

    @property
    def has_fma(self) -> bool:
        """Whether a·b + c rounded once is an instruction: not on Intel and AMD before 2013."""
        is_x86 = self.triple.startswith(("x86", "i686"))
        return not is_x86 or "+fma" in self.features.split(",")

    @property
    def code_model(self) -> str:
        """How far code reaches: "large" for everywhere, "small" for 2 or 4 GB.

        Code, its constants and the functions that it calls are in separate blocks of memory, which
        in a process with many mappings lie far apart. Where the small model does not reach them,
        LLVM's loader aborts, or on Intel Macs writes a wrong address. For ARM, on Linux and
        Windows, it keeps the blocks together and makes stubs for calls.
        """
        is_large = self.triple.startswith("x86_64") or "apple" in self.triple
        return "large" if is_large else "small"

    @property
    def relocation(self) -> str:
        """Whether code may hold addresses ("static"); Apple's systems have no such code."""
        is_static = self.triple.startswith("x86_64") and "apple" not in self.triple
        return "static" if is_static else "pic"

    def lanes(self, real: Real) -> int:
        """Return how many numbers of a type stand side by side."""
        return self.width * DOUBLE.size // real.size

    def __str__(self) -> str:
        return (
            f"{self.triple} {self.cpu} {self.features} {self.width} {self.code_model} "
            f"{self.relocation} llvmlite {llvmlite.__version__}"
        )


@cache
def this_host() -> Host:
    """Return the processor that this process runs on."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    if features.get("avx512f") and features.get("avx512dq"):
        width = 8
    elif features.get("avx"):
        width = 4
    else:
        # SSE2 and NEON
        width = 2
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten(), width)
