"""Reports: complete, self-contained, and safe whatever a person has named."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.picture import Label, Line, Picture, Placed, Support
from dalembert.picture.svg import svg
from dalembert.report.about import subject_of
from dalembert.report.about.subject import Options
from dalembert.report.build import SECTIONS
from dalembert.report.content import Animation, Figure, Folded, Remarks, Table, Text
from dalembert.report.sections import equations
from dalembert.report.writers.html import html
from dalembert.report.writers.markdown import markdown

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
VOID = {"meta", "br", "input", "img"}
(q1, x, PHI) = da.coordinates("q1 x phi")
m, l, g = da.parameters("m l g")


class Elements(HTMLParser):
    """Reads a page and refuses elements that are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def pendulum() -> da.Mechanism:
    arm = da.Builder("pendulum").link("bob", mass=m, com=(l, 0, 0), inertia=(0, 0, 0))
    return (
        arm.revolute("hinge", "bob", axis=(0, 1, 0)).frame("tip", "bob", origin=(l, 0, 0)).build()
    )


@pytest.fixture(scope="module")
def report() -> da.report.Report:
    return da.report.build(pendulum(), parameters={"m": 2, l: 0.5})


def test_every_section_is_there_and_none_failed(report: da.report.Report) -> None:
    assert [section.title for section in report.sections] == list(SECTIONS)
    words = [b.words for section in report.sections for b in section.blocks if isinstance(b, Text)]
    assert [text for text in words if text.startswith("Left out")] == []


def test_the_page_is_well_formed_and_asks_for_nothing(report: da.report.Report) -> None:
    page = html(report)
    elements = Elements(page)
    for tag, attributes in elements.seen:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        assert not {"src", "srcset", "xlink:href", "action"} & set(attributes)
        # a link inside the page, or a picture that is in it
        allowed = ("#", "data:image/png;base64,") if tag == "image" else ("#",)
        assert (attributes.get("href") or "#").startswith(allowed)
    # links inside the page, and the font that is in it
    assert set(re.findall(r"url\((#|data:font/woff2;|.)", page)) <= {"#", "data:font/woff2;"}
    assert "@import" not in page
    # forms and the base of links do not follow from default-src
    for part in ("default-src", "form-action", "base-uri"):
        assert f"{part} &#x27;none&#x27;" in page
    assert set(re.findall(r"https?://[^\"<\s]*", page)) <= {
        "http://www.w3.org/1998/Math/MathML",
        "http://www.w3.org/2000/svg",
    }


def test_headings_labels_and_drawings_have_names(report: da.report.Report) -> None:
    page = html(report)
    seen = Elements(page).seen
    identities = [a["id"] for _, a in seen if "id" in a]
    assert len(identities) == len(set(identities))
    for _, attributes in seen:
        assert attributes.get("aria-labelledby", identities[0]) in identities
        if attributes.get("tabindex") == "0":
            assert attributes.get("aria-label")
    assert page.count("<svg") == page.count("<title>") - 1
    assert [tag for tag, _ in seen].count("h1") == 1


def test_names_of_a_person_are_words_in_every_format() -> None:
    arm = da.Builder(NASTY).link(NASTY, mass=1, com=(1, 0, 0)).revolute("</svg><b>", NASTY)
    arm = arm.frame("<script>", NASTY).build()
    report = da.report.build(arm, title=NASTY)
    tags = [tag for tag, _ in Elements(html(report)).seen]
    # one script that plays, one with its data
    assert tags.count("script") == 2
    assert "img" not in tags
    assert "b" not in tags
    # code is fenced: nothing in it has a meaning
    text = re.sub(r"(?s)```.*?```", "", markdown(report))
    assert "<script" not in text.replace("\\<script", "")
    assert "<img" not in text.replace("\\<img", "")


def test_the_animation_follows_the_motion(report: da.report.Report) -> None:
    (motion,) = (s for s in report.sections if s.title == "Simulation")
    (animation,) = (b for b in motion.blocks if isinstance(b, Animation))
    data = re.search(r'<script type="application/json">(.*?)</script>', html(report))
    assert data is not None
    played = json.loads(data[1])
    assert played["t"][-1] == 3.0
    frames = np.reshape(played["frames"], (121, -1, 3))
    numbers = animation.placed.numbers
    hinge, tip = frames[:, numbers["bob"]], frames[:, numbers["tip"]]
    # a stiff link keeps its length, and the hinge its place
    assert np.linalg.norm(tip - hinge, axis=-1) == pytest.approx(np.full(121, 0.5), abs=1e-4)
    assert np.ptp(hinge, axis=0).max() == 0
    assert len({tuple(place) for place in tip.tolist()}) > 50


def test_the_numbers_of_a_person_are_used(report: da.report.Report) -> None:
    page = html(report)
    assert "<td>m</td><td>2</td>" in page
    assert "<td>l</td><td>0.5</td>" in page


def animation_of(report: da.report.Report) -> Placed:
    (motion,) = (s for s in report.sections if s.title == "Simulation")
    (found,) = (b for b in motion.blocks if isinstance(b, Animation))
    return found.placed


def test_a_raw_lagrangian_is_drawn_by_its_coordinates() -> None:
    L = m * (x.dot**2 + q1.dot**2) / 2 - l * x**2 / 2 + g * da.cos(q1)
    report = da.report.build(da.System(lagrangian=L, coordinates=[x, q1]), title="Spring")
    titles = [section.title for section in report.sections]
    assert "Singularities, workspace and torque at rest" not in titles
    assert r"m \ddot{x} + l x &= 0" in markdown(report)
    figures = [b for s in report.sections for b in s.blocks if isinstance(b, Figure)]
    assert len(figures) == 3
    drawn = animation_of(report)
    at = {name: drawn.positions[:, k] for name, k in drawn.numbers.items()}
    # x begins at its largest value, which is at the end of its rail; the angle at half a radian
    assert at["mark 1"][0] == pytest.approx(at["rail 1 end"][0], abs=1e-12)
    hand = at["hand 2"] - at["hub 2"]
    assert hand[0, :2] == pytest.approx([math.cos(0.5), math.sin(0.5)], abs=1e-12)
    assert np.linalg.norm(hand, axis=-1) == pytest.approx(np.ones(len(hand)), abs=1e-12)


def test_a_system_is_drawn_by_the_points_of_a_person_from_the_start_of_a_person() -> None:
    V = m * g * l * (1 - da.cos(q1))
    swing = da.System(lagrangian=m * l**2 * q1.dot**2 / 2 - V, coordinates=[q1])
    bob = {"bob": (l * da.sin(q1), -l * da.cos(q1))}
    report = da.report.build(swing, points=bob, q=[1.0], qd=[0.5])
    drawn = animation_of(report)
    # the origin is a support, as the bob keeps its distance from it
    (support,) = (part for part in drawn.parts if isinstance(part, Support))
    across, up, _ = drawn.positions[0, 0] - drawn.positions[0, drawn.ends(support)[0]]
    assert math.atan2(across, -up) == pytest.approx(1.0, abs=1e-12)
    (motion,) = (s for s in report.sections if s.title == "Simulation")
    assert isinstance(motion.blocks[0], Text)
    assert "rest" not in motion.blocks[0].words


@pytest.mark.parametrize("name", ["free_rigid_body", "rolling_disc", "wire_particles"])
def test_what_would_stay_at_rest_or_only_turns_is_seen_to_move(name: str) -> None:
    drawn = animation_of(da.report.build(getattr(da.textbook, name)()))
    assert np.ptp(drawn.positions, axis=0).max() > 0.1 * drawn.box[1]


def test_a_fall_into_a_singularity_is_avoided() -> None:
    report = da.report.build(da.textbook.spherical_pendulum())
    assert animation_of(report).t[-1] == 3.0


def test_what_cannot_be_made_says_why_and_leaves_the_rest() -> None:
    report = da.report.build(da.textbook.robots.quadrotor())
    by_title = {section.title: section.blocks for section in report.sections}
    form, words, table = by_title["Equations of motion"]
    assert isinstance(form, Text)
    assert isinstance(words, Text)
    assert isinstance(table, Table)
    assert "with_euler_angles" in words.words
    # six velocities, and a mass of 0.028 kg along the first
    assert len(table.rows) == 6
    assert table.rows[0][1] == "0.028"
    assert any(isinstance(b, Animation) for b in by_title["Simulation"])


@pytest.mark.parametrize("ending", [".html", ".md", ".pdf"])
def test_formats(ending: str, tmp_path: Path) -> None:
    if ending == ".pdf":
        pytest.importorskip("typst", reason="pip install typst")
    place = tmp_path / f"particle{ending.upper()}"
    da.report.write(da.textbook.particle(), place, title="A particle", progress=False)
    data = place.read_bytes()
    starts = {".html": b"<!DOCTYPE html>", ".md": b"# A particle", ".pdf": b"%PDF"}
    assert data.startswith(starts[ending])
    assert [path.name for path in tmp_path.iterdir()] == [place.name]


def test_another_ending_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(
        da.FileError, match=r"expected a path ending \.html, \.pdf, \.md, got '\.tex'"
    ):
        da.report.write(da.textbook.particle(), tmp_path / "a.tex")
    with pytest.raises(da.InvalidMechanism, match=r"got str: da\.load reads a file"):
        da.report.write("arm.urdf", tmp_path / "a.html")  # type: ignore[arg-type]


def test_numbers_that_no_body_has_are_not_chosen() -> None:
    # all parameters 1 would give link1 negative moments of inertia
    arm = da.textbook.robots.puma560_symbolic()
    with pytest.raises(da.InvalidMechanism, match="inertia"):
        arm.bind(dict.fromkeys(arm.parameters, 1))
    assert arm.bind(subject_of(arm).values).parameters == ()
    assert subject_of(arm, Options(values={"m2": 5})).values[da.parameters("m2")[0]] == 5


def test_constraints_that_do_not_close_near_the_first_start_get_another() -> None:
    report = da.report.build(da.textbook.wire_particles())
    (motion,) = (s for s in report.sections if s.title == "Simulation")
    assert any(isinstance(b, Animation) for b in motion.blocks)


def test_a_linkage_is_drawn_open_between_pivots_without_a_rod_along_the_ground() -> None:
    bar = subject_of(da.textbook.robots.four_bar()).at_start
    supports = [part.ends for part in bar.parts if isinstance(part, Support)]
    assert supports == [("crank",), ("rocker",)]
    lines = [part.ends for part in bar.parts if isinstance(part, Line)]
    assert not {("world", "crank"), ("world", "rocker")} & set(lines)
    # half a radian from neutral the rods would lie along each other
    at = bar.positions[0]
    rods = [at[bar.numbers[b]] - at[bar.numbers[a]] for a, b in lines]
    rods = [rod / np.linalg.norm(rod) for rod in rods]
    assert len(rods) == 3
    assert min(abs(np.cross(rods[0], rods[1])[2]), abs(np.cross(rods[1], rods[2])[2])) > 0.5


def test_a_free_body_stands_on_no_ground() -> None:
    ball = da.Builder("ball").link("body", mass=1, inertia=(1, 1, 1)).floating("free", "body")
    drawn = subject_of(ball.frame("mark", "body", origin=(1, 0, 0)).build()).at_start
    assert not any(isinstance(part, Support) for part in drawn.parts)
    assert [part.ends for part in drawn.parts if isinstance(part, Line)] == [("body", "mark")]


def test_coordinates_have_their_letters_in_the_figures() -> None:
    L = m * l**2 * PHI.dot**2 / 2 + m * g * l * da.cos(PHI)
    page = html(da.report.build(da.System(lagrangian=L, coordinates=[PHI]), progress=False))
    # at the hand of its gauge, there on paper too, and at its curve
    assert page.count("φ</text>") >= 3


def test_verdicts_have_their_marks() -> None:
    page = html(da.report.build(pendulum(), progress=False))
    assert '<li class="verdict proved"><span>✓</span>Newton–Euler recursion' in page


@pytest.mark.parametrize(("most", "kind"), [(6_000, Folded), (100, Text)])
def test_multipliers_that_would_fill_pages_are_left_out(
    most: int, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equations, "MAX_LATEX", most)
    section = equations.equations(subject_of(da.textbook.knife_edge()))
    assert isinstance(section.blocks[-1], kind)


def test_names_at_the_right_are_inside_the_picture() -> None:
    points = {"a": (0, 0), "b": (1, 0), "c": (1, 0)}
    labels = (Label(("b",), text="q₁₀"), Label(("c",), text="q₁₁"))
    drawn = Picture(points, (Line(("a", "b")), *labels))
    shown = svg(Placed.at_rest(drawn), "arm")
    left, width = map(float, re.search(r'viewBox="(\S+) \S+ (\S+)', shown).groups())  # type: ignore[union-attr]
    middle, name = re.search(r'<text x="([\d.]+)".*?>([^<]+)</text>', shown).groups()  # type: ignore[union-attr]
    assert name == "q₁₀, q₁₁"
    # letters of 15 pixels are about 8 pixels wide
    assert float(middle) + 8 * len(name) / 2 < left + width


def test_the_proofs_say_what_a_certificate_claims() -> None:
    def words(subject: da.Mechanism | da.System) -> str:
        section = SECTIONS["Proofs"](subject_of(subject, Options()))
        assert section is not None
        return " ".join(block.words for block in section.blocks if isinstance(block, Text))

    arm = words(da.textbook.rp_arm())
    assert "accepted by the checker" in arm
    assert "newton euler" in arm
    assert "code computes the equations" in arm
    assert "does not claim" in words(da.textbook.spherical_pendulum())
    (x,) = da.coordinates("x")
    rope = da.System(kinetic=m * x.dot**2 / 2, potential=m * da.log(x), coordinates=[x])
    assert "Certificate: none, expected functions" in words(rope)
    assert "not made here" in words(da.textbook.robots.panda())


def test_conserved_quantities_stand_with_their_conditions() -> None:
    (x,) = da.coordinates("x")
    rope = da.System(kinetic=m * x.dot**2 / 2, potential=m * da.log(x), coordinates=[x])
    section = SECTIONS["Proofs"](subject_of(rope, Options()))
    assert section is not None
    items = [item for block in section.blocks if isinstance(block, Remarks) for item in block.items]
    (energy,) = [item for item in items if item.startswith("energy:")]
    assert energy.splitlines()[0].endswith("  [x > 0]")


def test_a_robot_without_inertias_has_a_report_of_its_kinematics(tmp_path: Path) -> None:
    bare = da.Mechanism.from_dh([(1, 0, 0, 0), (1, 0, 0, 0)], limits=[(-2, 2), (-2, 2)])
    report = da.report.write(bare, tmp_path / "arm.md", progress=False)
    page = (tmp_path / "arm.md").read_text(encoding="utf-8")
    left_out = [x.title for x in report.sections if "no mass is given" in str(x.blocks[0])]
    # what forces and energies are needed for, and nothing else
    assert left_out == [
        *("Derivation", "Equations of motion", "Proofs"),
        *("Simulation", "C code"),
    ]
    assert "random positions of link2" in page
