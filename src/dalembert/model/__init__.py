"""The numerical side of systems and mechanisms: functions of arrays, compiled."""

from dalembert.kernel import (
    Iteration,
    Kernel,
    Look,
    LoopKernel,
    LoopRun,
    Outlook,
    Program,
    Reading,
    Reason,
    SeriesKernel,
    SignChange,
    SignSearch,
    Steps,
    StepStart,
    compile_bounds,
    compile_function,
    compile_loop,
    compile_series,
)
from dalembert.model.actuation import Actuation
from dalembert.model.compile import compile
from dalembert.model.description import Description, Symbols
from dalembert.model.formulas.formula import Formula
from dalembert.model.model import Model
from dalembert.model.parts import ModelFrame, ModelJoint
from dalembert.recursions.constraints.constrained import Thresholds

__all__ = [
    "Actuation",
    "Description",
    "Formula",
    "Iteration",
    "Kernel",
    "Look",
    "LoopKernel",
    "LoopRun",
    "Model",
    "ModelFrame",
    "ModelJoint",
    "Outlook",
    "Program",
    "Reading",
    "Reason",
    "SeriesKernel",
    "SignChange",
    "SignSearch",
    "StepStart",
    "Steps",
    "Symbols",
    "Thresholds",
    "compile",
    "compile_bounds",
    "compile_function",
    "compile_loop",
    "compile_series",
]
