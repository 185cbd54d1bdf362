"""From expressions to code that runs; `compiler` tells the stages."""

from dalembert.kernel.call.kernel import Kernel
from dalembert.kernel.call.loop import Loop, LoopKernel, LoopRun, Recorded
from dalembert.kernel.call.series import SeriesKernel, Steps, StepStart
from dalembert.kernel.call.zeros import Look, Outlook, Reading, Reason, SignChange, SignSearch
from dalembert.kernel.compiler import (
    BACKENDS,
    Target,
    collection_paused,
    compile_bounds,
    compile_function,
    compile_loop,
    compile_program,
    compile_series,
)
from dalembert.kernel.iteration import Iteration
from dalembert.kernel.program.program import Cost, Instruction, Port, Program

__all__ = [
    "BACKENDS",
    "Cost",
    "Instruction",
    "Iteration",
    "Kernel",
    "Look",
    "Loop",
    "LoopKernel",
    "LoopRun",
    "Outlook",
    "Port",
    "Program",
    "Reading",
    "Reason",
    "Recorded",
    "SeriesKernel",
    "SignChange",
    "SignSearch",
    "StepStart",
    "Steps",
    "Target",
    "collection_paused",
    "compile_bounds",
    "compile_function",
    "compile_loop",
    "compile_program",
    "compile_series",
]
