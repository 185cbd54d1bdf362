"""A bar that shows how far a simulation has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PAUSE = 0.1
"""Seconds between two looks at the bar: drawing must cost nothing beside stepping."""


@contextmanager
def progress_bar(start: float, end: float) -> Iterator[Callable[[float], None]]:
    """Show a bar from start to end; the function that comes with it tells it the time reached."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("simulate"),
        BarColumn(),
        TextColumn("{task.completed:.3g} of {task.total:.3g} s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as bar:
        task = bar.add_task("simulate", total=abs(end - start))
        shown = 0.0

        def reached(t: float) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= PAUSE or t == end:
                shown = now
                bar.update(task, completed=abs(t - start))

        yield reached
