"""The numerical side of systems and mechanisms: functions of arrays, compiled."""

from dalembert.kernel import Kernel, LoopKernel, LoopRun, Program, compile_function, compile_series
from dalembert.model.compile import compile
from dalembert.model.description import Description, Symbols
from dalembert.model.formulas.formula import Formula
from dalembert.model.model import Model

__all__ = [
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
