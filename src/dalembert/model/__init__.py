"""The numerical side of systems and mechanisms: functions of arrays, compiled."""

from typing import TYPE_CHECKING

from dalembert.kernel import Kernel, LoopKernel, LoopRun, Program, compile_function, compile_series
from dalembert.model.compile import compile
from dalembert.model.description import Description, Symbols
from dalembert.model.formulas.formula import Formula
from dalembert.model.model import Model

if TYPE_CHECKING:
    from dalembert.model.configuration import Configuration

__all__ = [
    "Configuration",
    "Description",
    "Formula",
    "Kernel",
    "LoopKernel",
    "LoopRun",
    "Model",
    "Program",
    "Symbols",
    "compile",
    "compile_function",
    "compile_series",
]


def __getattr__(name: str) -> object:
    """Load `Configuration`, which needs NumPy, when it is first used."""
    if name != "Configuration":
        raise AttributeError(f"module 'dalembert.model' has no attribute {name!r}")
    from dalembert.model.configuration import Configuration

    return Configuration
