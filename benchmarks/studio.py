"""What arrives in a browser while the studio plays a motion of a humanoid.

    python -m benchmarks.studio [--robot humanoid] [--seconds 5]

A headless Chromium counts the pictures that reach the page, and those after which it drew. How
often it draws is bound by its graphics: without a graphics card the processor draws. A client
without graphics counts bytes. Needs playwright, a Chromium and viser.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import dalembert as da
from benchmarks.machine import machine
from benchmarks.robots import robots
from dalembert.studio import Studio, view
from tools.browser import started

DURATION = 2.0
"""Seconds of the motion, which is played over and over again."""
SETTLING = 3.0
"""Seconds in which a page builds what it shows."""
# messages come to the page by a worker; what moves parts of the scene is counted
COUNTING = """
window.seen = {pictures: 0, parts: 0, drawn: 0};
let isNew = false;
window.Worker = class extends window.Worker {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({data}) => {
      if (data.type !== "message_batch") return;
      const moves = data.messages.filter((x) => /^Set(Position|Orientation)/.test(x.type));
      if (moves.length) { seen.pictures += 1; seen.parts += moves.length; isNew = true; }
    });
  }
};
const draw = () => {
  if (isNew) { seen.drawn += 1; isNew = false; }
  requestAnimationFrame(draw);
};
requestAnimationFrame(draw);
"""


class Count(NamedTuple):
    """Pictures made in seconds of the server, arrived and drawn in seconds of the page; parts."""

    made: int
    wall: float
    processor: float
    arrived: int
    drawn: int
    parts: int
    page: float


class Traffic(NamedTuple):
    """Messages and bytes that a client received in some seconds, and pictures made meanwhile."""

    made: int
    messages: int
    size: int


class Pictures:
    """Counts what a studio draws."""

    def __init__(self, studio: Studio) -> None:
        self.made = 0
        studio.state.draw(lambda moment: self._add())

    def _add(self) -> None:
        self.made += 1


@contextmanager
def playing(name: str) -> Iterator[Studio]:
    """Play a motion of a robot that nothing drives."""
    robot = robots()[name]()
    model = da.compile(robot)
    rates = 0.3 * np.random.default_rng(1).normal(size=model.nv)
    motion = da.simulate(model, model.neutral, rates, DURATION)
    with view(robot, motion=motion) as studio:
        yield studio


def in_browser(studio: Studio, pictures: Pictures, seconds: float) -> Count:
    """Count what reaches a page and is drawn by it."""
    with started() as browser:
        page = browser.new_page(viewport={"width": 400, "height": 300})
        page.add_init_script(COUNTING)
        page.goto(studio.url)
        page.get_by_role("tab", name="Move").wait_for(timeout=60_000)
        page.wait_for_timeout(1000 * SETTLING)

        def now() -> tuple[dict[str, float], int, float, float]:
            # a busy page answers late: it has its own clock
            return page.evaluate("({...seen, now: performance.now()})"), pictures.made, *clocks()

        seen, made, wall, processor = now()
        page.wait_for_timeout(1000 * seconds)
        then, made_then, wall_then, processor_then = now()
    found = {key: then[key] - seen[key] for key in seen}
    return Count(
        made_then - made,
        wall_then - wall,
        processor_then - processor,
        round(found["pictures"]),
        round(found["drawn"]),
        round(found["parts"]),
        found["now"] / 1000,
    )


def clocks() -> tuple[float, float]:
    """Return seconds on the wall and of the processor."""
    return time.monotonic(), time.process_time()


def on_the_wire(studio: Studio, pictures: Pictures, seconds: float) -> Traffic:
    """Count the bytes that a client receives, sliders and tables included."""
    with connected(studio) as client:
        _receive(client, SETTLING)
        made = pictures.made
        sizes = _receive(client, seconds)
        return Traffic(pictures.made - made, len(sizes), sum(sizes))


@contextmanager
def connected(studio: Studio) -> Iterator[Any]:
    """Connect as a page does."""
    import viser
    from websockets.sync.client import connect

    protocols: Any = [f"viser-v{viser.__version__}"]
    address = studio.url.replace("http", "ws", 1)
    with connect(address, subprotocols=protocols, max_size=None) as client:
        yield client


def _receive(client: Any, seconds: float) -> list[int]:
    """Return the sizes of all messages of some seconds."""
    sizes, end = [], time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            sizes.append(len(client.recv(timeout=left)))
        except TimeoutError:
            break
    return sizes


def table(name: str, count: Count, traffic: Traffic) -> Table:
    """Return the figures of a run."""
    found = Table(title=f"{name}, playing", title_justify="left", show_header=False)
    processor = 1000 * count.processor / max(count.made, 1)
    rows = {
        "pictures made": f"{count.made / count.wall:.1f} /s",
        "pictures that arrived": f"{count.arrived / count.page:.1f} /s",
        "pictures drawn, by these graphics": f"{count.drawn / count.page:.1f} /s",
        "parts moved": f"{count.parts / max(count.arrived, 1):.1f} a picture",
        "bytes, with sliders and tables": f"{traffic.size / max(traffic.made, 1):.0f} a picture",
        "messages": f"{traffic.messages / max(traffic.made, 1):.2f} a picture",
        "processor time of the server": f"{processor:.2f} ms a picture",
    }
    for row in rows.items():
        found.add_row(*row)
    return found


def main() -> None:
    """Play, count, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robot", choices=list(robots()), default="humanoid")
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    with playing(options.robot) as studio:
        pictures = Pictures(studio)
        traffic = on_the_wire(studio, pictures, options.seconds)
        count = in_browser(studio, pictures, options.seconds)
    console = Console()
    console.print(table(options.robot, count, traffic))
    console.print(", ".join(f"{key} {value}" for key, value in list(machine().items())[:5]))


if __name__ == "__main__":
    main()
