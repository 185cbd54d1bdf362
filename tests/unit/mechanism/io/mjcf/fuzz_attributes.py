"""Change every attribute of every element of MJCF models, all in one process.

    python -m tests.unit.mechanism.io.mjcf.fuzz_attributes 50000 --seed 1

MuJoCo's compiler is one for the whole process: what a model breaks, the next ones meet. A model for
which it waits forever ends the process; the last line of the output names it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from dalembert.errors import DalembertError
from dalembert.mechanism.io.mjcf.read import load_mjcf
from dalembert.mechanism.io.mjcf.schema.numbers import Numbers, held
from tests.unit.mechanism.io.mjcf.every_element import EVERY, schema
from tests.unit.mechanism.io.mjcf.mjcf_models import MODELS

WAIT = 120  # seconds for one model on a busy machine: it takes milliseconds
MAX_BYTES = 7_000
"""Of the models of the zoo: larger ones say the same, and take longer."""
VALUES = (
    *("", " ", "\n\t", "x", "1 x", "0", "1", "-1", "1 2", "1 2 3", "1 2 3 4", "-1 -2 -3", "0 0 0"),
    *(
        "1 2 3 4 5 6",
        "1 " * 40,
        "0 " * 7,
        "nan",
        "nan nan nan",
        "inf",
        "1e400",
        "1e300 -1e300 1e300",
    ),
    *(
        "1e-320",
        "99999999999",
        "-99999999999",
        "1,5",
        "0x1f",
        "1.5.2",
        "--1",
        "1e",
        "true",
        "enable",
    ),
    *("\u00a0", "٣", "a b c", "../x", "%s%n", "[0]", "&"),
)

NUMBERS = ("0", "1", "-1", "0.5", "3", "1e9", "1e-9", "-0.25", "1e300")
WHOLE = ("0", "1", "-1", "2", "3", "7", "100", "2147483647")


class Place(NamedTuple):
    """An attribute of an element, which may not have it yet, of a model."""

    model: str
    element: int
    attribute: str


def models() -> dict[str, tuple[str, Path | None]]:
    """Return texts and folders of models by name: ours, and the small ones of the zoo."""
    found: dict[str, tuple[str, Path | None]] = {
        name: (text, None) for name, text in {**MODELS, **EVERY}.items()
    }
    zoo = os.environ.get("DALEMBERT_ZOO")
    for path in sorted(Path(zoo).rglob("*.xml")) if zoo else []:
        text = path.read_text(errors="replace")
        if "<mujoco" in text and "<include" not in text and len(text) < MAX_BYTES:
            found[str(path.relative_to(zoo or "."))] = text, path.parent
    return found


def places(name: str, text: str) -> list[Place]:
    """Return all attributes that the elements of a model have, or could have."""
    possible: dict[tuple[str, str], set[str]] = {}
    for item in schema():
        parent, tag = ("", *item.path)[-2:]
        possible.setdefault((parent, tag), set()).update(item.attributes)
    root = ElementTree.fromstring(text.strip())
    above = {child: parent.tag for parent in root.iter() for child in parent}
    found = []
    for k, element in enumerate(root.iter()):
        parent = above.get(element, "")
        # bodies may be in each other, and what surrounds bodies surrounds what is in them
        parent = "body" if parent in ("worldbody", "frame", "replicate") else parent
        names = possible.get((parent, element.tag), set())
        if element.tag in ("body", "frame", "default"):
            names = set().union(*(x for (_, tag), x in possible.items() if tag == element.tag))
        found += [Place(name, k, x) for x in sorted({*element.attrib, *names})]
    return found


def changed(draw: random.Random, text: str, place: Place) -> tuple[str, str]:
    """Return a model with another value at a place, and that value."""
    root = ElementTree.fromstring(text.strip())
    elements = list(root.iter())
    at = elements[place.element]
    above = next((x.tag for x in elements if at in list(x)), "")
    own = at.get(place.attribute, "1")
    other = draw.choice([x for e in elements for x in e.attrib.values()])
    near = [f"{own} {own}", own.rpartition(" ")[0], f"-{own}", f"{own}e", other]
    # as many numbers as there may be, so that MuJoCo sees them; or whatever it should not see
    wanted = held(above, at.tag, place.attribute) or Numbers(1, 1)
    num = draw.randint(wanted.fewest, max(wanted.fewest, min(wanted.most or 6, 6)))
    numbers = " ".join(draw.choice(WHOLE if wanted.whole else NUMBERS) for _ in range(num))
    value = draw.choice([numbers, numbers, draw.choice(VALUES), draw.choice(near)])
    at.set(place.attribute, value)
    return ElementTree.tostring(root, encoding="unicode"), value


def in_turn(draw: random.Random, all_places: list[Place], count: int) -> Iterator[Place]:
    """Yield every place once, in any order, and so on until there are as many."""
    left: list[Place] = []
    for _ in range(count):
        if not left:
            left = draw.sample(all_places, len(all_places))
        yield left.pop()


def fuzz(count: int, seed: int) -> dict[str, object]:
    """Read changed models; return how many were tried, read, refused and what else happened."""
    draw, found = random.Random(seed), Counter[str]()
    known = models()
    all_places = [x for name, (text, _) in known.items() for x in places(name, text)]
    examples: list[str] = []
    for place in in_turn(draw, all_places, count):
        text, folder = known[place.model]
        data, value = changed(draw, text, place)
        # flushed: it is the last word if the process ends here
        print(f"{place.model} element {place.element} {place.attribute}={value!r}", flush=True)
        faulthandler.dump_traceback_later(WAIT, exit=True)
        try:
            load_mjcf(data.encode(), root=folder)
            outcome = "read"
        except DalembertError as error:
            outcome = "refused" if str(error).strip() else "silent"
        except Exception as error:
            outcome = "foreign"
            examples.append(f"{place} {value!r}: {type(error).__name__}: {error}"[:300])
        found["tried"] += 1
        found[outcome] += 1
    faulthandler.cancel_dump_traceback_later()
    return {"places": len(all_places), **found, "examples": examples[:20]}


def main() -> None:
    """Fuzz, and print the figures as the last line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(json.dumps(fuzz(options.count, options.seed)))


if __name__ == "__main__":
    main()
