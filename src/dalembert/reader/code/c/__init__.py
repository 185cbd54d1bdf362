"""C and CUDA as they are exported: functions of arrays, with loops, structs and pointers."""

from dalembert.reader.code.c.memory import Pointer
from dalembert.reader.code.c.program import CProgram, array, c_program, pointers

__all__ = ["CProgram", "Pointer", "array", "c_program", "pointers"]
