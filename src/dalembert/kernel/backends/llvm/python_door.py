"""Functions that Python holds from before anything is compiled, and that find what is.

A method of a model is looked up once and called for ever: whoever holds it from before its first
call must not pay for that. A door is such a function. It chooses among compiled functions by the
value of one option, such as the name of a frame, and by ``out=``, without running Python; what it
does not find goes to a fallback, with its arguments unchanged.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING

from dalembert.kernel.backends.llvm.cached_code import cached_code
from dalembert.kernel.backends.llvm.host import Host, this_host
from dalembert.kernel.backends.llvm.jit import Code
from dalembert.kernel.backends.llvm.python_entry import (
    CALL_NAME,
    declarations,
    is_supported,
    python_function,
    register_symbols,
)
from dalembert.kernel.call.door import Door

if TYPE_CHECKING:
    from dalembert.kernel.call.kernel import Call

# what the function's own object holds, by place
CALLS, WRITERS, INPUTS, OPTION, NOTHING, OUT, FALLBACK = range(7)


class CompiledDoor(Door):
    """A door in machine code, which all doors share; what it chooses from is in its own object.

    Args:
        fallback: What takes all other calls; the door has its name, docstring and signature.
        inputs: How many arrays the functions take.
        option: The name of the option; None where there is none.
        host: The processor that the code is for.
    """

    def __init__(self, fallback: Call, inputs: int, option: str | None, host: Host) -> None:
        self._calls: dict[Hashable, Call] = {}
        self._writers: dict[None, Call] = {}
        # one that was replaced may be running
        self._replaced: list[Call] = []
        own = (self._calls, self._writers, inputs, option, None, "out", fallback, self._replaced)
        self._function = python_function(_code(host), own, fallback)

    @property
    def function(self) -> Call:
        """The function to hold and to call."""
        return self._function

    def lead_to(self, call: Call, chosen: Hashable = None) -> None:
        if chosen in self._calls:
            self._replaced.append(self._calls[chosen])
        self._calls[chosen] = call

    def write_by(self, writer: Call) -> None:
        self._replaced += self._writers.values()
        self._writers[None] = writer


def door(fallback: Call, inputs: int, option: str | None) -> Door | None:
    """Return a door before a function; None where this Python has no interface for it."""
    return CompiledDoor(fallback, inputs, option, this_host()) if is_supported() else None


@cache
def _code(host: Host) -> Code:
    register_symbols()
    return cached_code(host, door_text)


def door_text() -> str:
    """Return the module of the function that all doors share."""
    vectorcall = "call ptr @PyObject_Vectorcall"
    return "\n".join(
        [
            declarations(),
            f"define ptr @{CALL_NAME}(ptr %self, ptr %args, i64 %nargs, ptr %names) nounwind {{",
            "start:",
            _own("count", INPUTS),
            "  %count_at = call ptr @PyLong_AsVoidPtr(ptr %count)",
            "  %inputs = ptrtoint ptr %count_at to i64",
            "  %exact = icmp eq i64 %nargs, %inputs",
            "  %longer = add i64 %inputs, 1",
            "  %unnamed = icmp eq ptr %names, null",
            "  br i1 %unnamed, label %positional, label %named",
            "positional:",
            "  br i1 %exact, label %plain, label %more",
            # one argument more is the option
            "more:",
            _own("option", OPTION),
            _own("no_option", NOTHING),
            "  %one_more = icmp eq i64 %nargs, %longer",
            "  %has_option = icmp ne ptr %option, %no_option",
            "  %is_option = and i1 %one_more, %has_option",
            "  br i1 %is_option, label %chosen, label %fallback",
            # a keyword's value stands behind the arguments without names
            "named:",
            "  %num_names = call i64 @PyTuple_Size(ptr %names)",
            "  %one_name = icmp eq i64 %num_names, 1",
            "  %single = and i1 %one_name, %exact",
            "  br i1 %single, label %which, label %fallback",
            # names in calls are interned: one text is one object
            "which:",
            "  %name = call ptr @PyTuple_GetItem(ptr %names, i64 0)",
            _own("option_name", OPTION),
            "  %names_option = icmp eq ptr %name, %option_name",
            "  br i1 %names_option, label %chosen, label %other",
            "other:",
            _own("out_name", OUT),
            "  %names_out = icmp eq ptr %name, %out_name",
            "  br i1 %names_out, label %into, label %fallback",
            "into:",
            _own("writers", WRITERS),
            _own("any", NOTHING),
            "  %writer = call ptr @PyDict_GetItem(ptr %writers, ptr %any)",
            "  %writes = icmp ne ptr %writer, null",
            "  br i1 %writes, label %write, label %fallback",
            "write:",
            f"  %written = {vectorcall}(ptr %writer, ptr %args, i64 %longer, ptr null)",
            "  ret ptr %written",
            "plain:",
            _own("nothing", NOTHING),
            "  br label %find",
            "chosen:",
            "  %choice_at = getelementptr ptr, ptr %args, i64 %inputs",
            "  %choice = load ptr, ptr %choice_at, align 8",
            "  br label %find",
            # an option that has no hash, such as a list of names, is not found
            "find:",
            "  %key = phi ptr [ %nothing, %plain ], [ %choice, %chosen ]",
            _own("calls", CALLS),
            "  %call = call ptr @PyDict_GetItem(ptr %calls, ptr %key)",
            "  %exists = icmp ne ptr %call, null",
            "  br i1 %exists, label %forward, label %fallback",
            "forward:",
            f"  %result = {vectorcall}(ptr %call, ptr %args, i64 %inputs, ptr null)",
            "  ret ptr %result",
            "fallback:",
            _own("method", FALLBACK),
            f"  %answer = {vectorcall}(ptr %method, ptr %args, i64 %nargs, ptr %names)",
            "  ret ptr %answer",
            "}",
            "",
        ]
    )


def _own(name: str, place: int) -> str:
    """Return the instruction that reads what the function's own object holds."""
    return f"  %{name} = call ptr @PyTuple_GetItem(ptr %self, i64 {place})"
