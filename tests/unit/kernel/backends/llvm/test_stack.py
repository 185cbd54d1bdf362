"""Code is made in threads with little stack as in others."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import threading
from typing import Any

import pytest

from dalembert.kernel.backends.llvm import jit, stack
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.backends.llvm.stack import STACK_BYTES, with_deep_stack

IN_A_SMALL_THREAD = """
import threading
import numpy as np
import dalembert as da

x = da.parameters(" ".join(f"x{i}" for i in range(70)))
products = da.compile_function([[a * b for a in x] for b in x], list(x), threads=1)
found = []
threading.stack_size(48 << 10)
thread = threading.Thread(target=lambda: found.append(products(np.full((9, 70), 2.0))))
thread.start()
thread.join()
print((found[0] == 4).all())
"""


def in_thread(work):
    """Return what the work returns in another thread."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64" or sys.version_info >= (3, 12),
    reason="how little is enough for Python and NumPy alone was tried on Linux with 3.11",
)
def test_a_kernel_is_compiled_with_48_kilobytes() -> None:
    """The code generator alone takes more, and running out of stack ends the process."""
    ended = subprocess.run(
        [sys.executable, "-c", IN_A_SMALL_THREAD],
        env={**os.environ, "DALEMBERT_CACHE": ""},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (ended.returncode, ended.stdout) == (0, "True\n"), ended.stderr


def test_code_is_written_and_loaded_with_a_deep_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader takes a deep stack on ARM only, where few run these tests."""
    workers: dict[str, threading.Thread] = {}
    for name in ("_compile", "_load"):
        do = getattr(jit, name)

        def seen(*arguments: object, name: str = name, do: Any = do) -> object:
            workers[name] = threading.current_thread()
            return do(*arguments)

        monkeypatch.setattr(jit, name, seen)
    host = this_host()
    text = "define i64 @f(ptr %p, i64 %a, i64 %b) {\n  ret i64 %b\n}\n"
    assert (
        in_thread(lambda: jit.Code(jit.machine_code(text, host), host).function("f")(0, 3, 4)) == 4
    )
    assert [(k, x.name) for k, x in workers.items()] == [
        ("_compile", "dalembert compiler"),
        ("_load", "dalembert compiler"),
    ]


def test_the_main_thread_works_itself() -> None:
    assert with_deep_stack(threading.current_thread) is threading.main_thread()


def test_other_threads_have_it_done_in_a_deep_one() -> None:
    sizes: list[int] = []

    class Seen(threading.Thread):
        def start(self) -> None:
            sizes.append(threading.stack_size())
            super().start()

    before = threading.stack_size()
    with pytest.MonkeyPatch.context() as patch:

        def work() -> threading.Thread:
            patch.setattr(threading, "Thread", Seen)
            return with_deep_stack(threading.current_thread)

        worker = in_thread(work)
    assert isinstance(worker, Seen)
    assert sizes == [STACK_BYTES]
    assert threading.stack_size() == before


def test_errors_come_back() -> None:
    def fail() -> None:
        raise ValueError("no code")

    def work() -> str:
        with pytest.raises(ValueError, match="no code"):
            with_deep_stack(fail)
        return "done"

    assert in_thread(work) == "done"


def test_where_the_system_refuses_a_thread_the_caller_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work() -> bool:
        def refuse(_: object) -> None:
            raise RuntimeError("can't start new thread")

        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            return with_deep_stack(threading.current_thread) is threading.current_thread()

    before = stack.threading.stack_size()
    assert in_thread(work)
    assert threading.stack_size() == before
