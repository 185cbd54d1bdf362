"""A bar that shows how far a study has come, how fast it is and how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int], None]
"""Tells how many more rows are done and how many of them failed; first, what was done before."""


@contextmanager
def progress_bar(total: int) -> Iterator[Report]:
    """Show a bar on standard error; the function that comes with it moves it on."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("sweep"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} rows"),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("sweep", total=total, pace="")
        before, start, num_failed = None, bar.get_time(), 0

        def report(rows: int, failed: int) -> None:
            nonlocal before, start, num_failed
            bar.advance(task, rows)
            if before is None:
                # rows of an earlier run say nothing about the pace of this one
                before, start = rows, bar.get_time()
                return
            num_failed += failed
            done = int(bar.tasks[0].completed)
            rate = (done - before) / max(bar.get_time() - start, 1e-9)
            bar.update(task, pace=pace_text(rate, total - done, num_failed))

        yield report


def pace_text(rate: float, left: int, num_failed: int) -> str:
    """Return rows per second, time left and failures as text.

    >>> pace_text(200.0, 24_000, 3)
    '200 rows/s, 0:02:00 left, 3 failed'
    """
    seconds = round(left / rate)
    time = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    failed = f", {num_failed:,} failed" if num_failed else ""
    return f"{rate:,.{0 if rate >= 10 else 2}f} rows/s, {time} left{failed}"
