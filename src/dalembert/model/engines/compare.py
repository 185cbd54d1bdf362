"""Compare what an engine made of a URDF with what we made of it, and say why they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.display import Printed
from dalembert.errors import DalembertError, MissingDependency, UnknownName, nearest
from dalembert.mechanism import Joint, JointKind, Mechanism
from dalembert.model.compile import compile
from dalembert.model.engines.base import Body, Engine, Reading
from dalembert.model.engines.mujoco import Mujoco
from dalembert.model.engines.pinocchio import Pinocchio

if TYPE_CHECKING:
    from dalembert.model.model import Model

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Pinocchio(), Mujoco())}
"""The engines by name; a new one is an entry here."""

AGREEMENT = 1e-9
"""Difference, as a fraction of the largest number beside it, up to which two engines agree.

They agree to 1e-11 where they read the same; printed digits of inertias differ by 1e-6 and more.
"""
ROUNDING = 1e-9
"""Inertia of a link, as a fraction of the largest of the robot, below which it counts as none."""
STATES = 5
"""Random states at which places and torques are compared."""


@dataclass(frozen=True)
class Difference:
    """Something that an engine sees in another way.

    Attributes:
        place: The link or joint.
        what: "joint", "mimic", "place", "mass", "centre of mass", "inertia" or "torque".
        ours, theirs: The values, as a person reads them.
        reason: What the engine probably did; "" where nothing is known.
    """

    place: str
    what: str
    ours: str
    theirs: str
    reason: str = ""

    def __str__(self) -> str:
        said = f"{self.place}: {self.what} {self.ours} here, {self.theirs} there"
        return f"{said}: {self.reason}" if self.reason else said


@dataclass(frozen=True)
class Comparison(Printed):
    """What an engine made of the same file.

    Attributes:
        engine: Its name.
        links, torques: How many links and torques were compared.
        differences: Link by link, in the order of the mechanism.
        torque: The first torque that differs, with its reason; None where all agree.
        refusal: The words with which the engine refused the file; "" where it did not.
    """

    engine: str
    links: int = 0
    torques: int = 0
    differences: tuple[Difference, ...] = ()
    torque: Difference | None = None
    refusal: str = ""

    @property
    def ok(self) -> bool:
        """Tell whether the engine read the file as we did."""
        return not (self.differences or self.torque or self.refusal)

    def __str__(self) -> str:
        if self.refusal:
            return f"{self.engine} refuses the file: {self.refusal}"
        counts = f"{self.links} links and {self.torques} torques"
        if self.ok:
            return f"{self.engine} agrees: {counts} compared"
        lines = [f"{self.engine} differs, of {counts}:", *(f"  {x}" for x in self.differences)]
        if self.torque is not None:
            lines.append(f"  first torque that differs: {self.torque}")
        return "\n".join(lines)


def compare_with(engine: str, text: str, mechanism: Mechanism) -> Comparison:
    """Compare what an engine makes of a URDF with a mechanism, link by link.

    Places of links, masses, centres of mass and inertias of what moves together, and the torques
    of inverse dynamics without springs and friction, at random states that are the same each time.

    Args:
        engine: One of `ENGINES`.
        text: The URDF.
        mechanism: What `da.load` made of it.

    Raises:
        UnknownName: there is no such engine.
        MissingDependency: it is not installed.
    """
    if engine not in ENGINES:
        known = ", ".join(ENGINES)
        raise UnknownName(
            f"expected engines of {known}, got {engine!r} ({nearest(engine, ENGINES)})"
        )
    chosen = ENGINES[engine]
    try:
        reading = chosen.read(text, mechanism)
    except MissingDependency:
        raise
    # whatever an engine raises is its refusal
    except Exception as error:
        words = " ".join(str(error).split()) or type(error).__name__
        return Comparison(engine, refusal=words[:300])
    return _Comparing(chosen, reading, mechanism).result()


class _Comparing:
    """One comparison: states, our side of each number, and the differences."""

    def __init__(self, engine: Engine, reading: Reading, mechanism: Mechanism) -> None:
        self.engine, self.reading, self.mechanism = engine, reading, mechanism
        self.model: Model = compile(mechanism, passive=False)
        rng = np.random.default_rng(0)
        nq, nv = self.model.nq, self.model.nv
        space = self.model.configuration
        steps = rng.uniform(-1, 1, (STATES, nv))
        # the first state is neutral: what differs there is not the joints' doing
        steps[0] = 0
        self.q = np.array([space.integrate(self.model.neutral, x) for x in steps]).reshape(-1, nq)
        self.v, self.a = rng.uniform(-1, 1, (2, STATES, nv))
        if any(not joint.is_scalar for joint in mechanism.moving_joints):
            # body-fixed velocities have other accelerations in other axes; at rest they agree
            self.v = 0 * self.v

    def result(self) -> Comparison:
        joints = [*self._joints()]
        if any(x.what == "joint" for x in joints):
            # without the same joints there is no common state
            return Comparison(self.engine.name, differences=tuple(joints))
        try:
            places, links = self._places()
            known = [*joints, *places, *self._bodies()]
            torque, torques = self._torque(known)
        except DalembertError as error:
            return Comparison(self.engine.name, refusal=f"states cannot be compared: {error}")
        return Comparison(self.engine.name, links, torques, tuple(known), torque)

    # ---- joints

    def _joints(self) -> Iterator[Difference]:
        for joint in self.mechanism.joints:
            if joint.kind is JointKind.FIXED:
                continue
            if joint.name not in self.reading.joints:
                yield Difference(joint.name, "joint", joint.kind.value, "none", "the joint is lost")
            elif joint.mimic is not None and joint.name not in self.reading.coupled:
                advice = self.engine.mimic_advice
                yield Difference(
                    joint.name,
                    "mimic",
                    f"follows {joint.mimic.joint}",
                    "moves freely",
                    f"lost mimic: {advice}" if advice else "lost mimic",
                )

    # ---- places

    def _places(self) -> tuple[list[Difference], int]:
        """Return the links that are elsewhere, the first of each branch, and how many were seen."""
        ours = np.asarray(self.model.forward_kinematics(self.q))
        theirs = [self.reading.places(q) for q in self.q]
        numbers = {link.name: k for k, link in enumerate(self.mechanism.links)}
        reach = max(1.0, float(np.abs(ours[..., :3, 3]).max()))
        above = {joint.child: joint for joint in self.mechanism.joints}
        wrong: dict[str, None] = {}
        found: list[Difference] = []
        for name, k in numbers.items():
            if name not in theirs[0]:
                continue
            gaps = [np.abs(theirs[s][name] - ours[s, k]).max() for s in range(STATES)]
            if max(gaps) <= AGREEMENT * reach:
                continue
            wrong[name] = None
            # what hangs on a link that is elsewhere is elsewhere too
            at = above.get(name)
            while at is not None and at.parent not in wrong:
                at = above.get(at.parent)
            if at is None:
                s = 0 if gaps[0] > AGREEMENT * reach else int(np.argmax(gaps))
                found.append(self._elsewhere(name, above.get(name), ours[s, k], theirs[s][name], s))
        return found, sum(name in theirs[0] for name in numbers)

    def _elsewhere(
        self, name: str, joint: Joint | None, ours: np.ndarray, theirs: np.ndarray, state: int
    ) -> Difference:
        apart = float(np.linalg.norm(ours[:3, 3] - theirs[:3, 3]))
        reason = ""
        if joint is not None:
            reason = f"axis, sign or reference of joint {joint.name!r}"
            if state == 0:
                reason = f"dropped or changed origin of joint {joint.name!r}"
        place = f"at {_listed(ours[:3, 3])}"
        there = f"at {_listed(theirs[:3, 3])}" if apart > 0 else "turned"
        return Difference(name, "place", place, there, reason)

    # ---- bodies

    @cached_property
    def _own_bodies(self) -> dict[str, Body]:
        """What moves together, of our side, by the link that a joint moves."""
        found = {}
        for link in self.mechanism.reduce().links:
            inertia = link.inertia.map(float)
            com = np.array(inertia.com() if inertia.m else (0.0, 0.0, 0.0))
            tensor = np.array(inertia.about_com() if inertia.m else inertia.tensor)
            found[link.name] = Body(float(inertia.m), com, tensor)
        return found

    def _bodies(self) -> Iterator[Difference]:
        # beside the heaviest link the rounding of a link without inertia is none
        floor = ROUNDING * max(float(np.abs(x.inertia).max()) for x in self._own_bodies.values())
        for name, theirs in self.reading.bodies.items():
            for found in _of_bodies(name, self._own_bodies[name], theirs, floor):
                guess = self._guessed(name) if found.what == "mass" and not found.reason else ""
                yield replace(found, reason=guess) if guess else found

    def _guessed(self, name: str) -> str:
        """Return which links without inertia may have got one from their shapes."""
        group, shaped = {name}, []
        for joint in self.mechanism.joints:
            if joint.kind is JointKind.FIXED and joint.parent in group:
                group.add(joint.child)
                link = self.mechanism.link(joint.child)
                if not link.has_inertia and link.shapes:
                    shaped.append(repr(link.name))
        return f"inertia made of the shapes of {', '.join(shaped[:3])}" if shaped else ""

    # ---- torques

    def _torque(self, known: list[Difference]) -> tuple[Difference | None, int]:
        """Return the first torque that differs, with the reason where one is known."""
        ours = np.asarray(self.model.inverse_dynamics(self.q, self.v, self.a))
        theirs = np.array(
            [self.reading.torque(*x) for x in zip(self.q, self.v, self.a, strict=True)]
        )
        scale = max(float(np.abs(ours).max()), float(np.abs(theirs).max()), 1e-300)
        s, k = np.unravel_index(np.argmax(np.abs(ours - theirs)), ours.shape)
        if abs(ours[s, k] - theirs[s, k]) <= AGREEMENT * scale:
            return None, ours.size
        different = np.abs(ours - theirs).max(axis=0) > AGREEMENT * scale
        k = int(np.argmax(different))
        s = int(np.argmax(np.abs(ours - theirs)[:, k]))
        name = self.model.configuration.v_names[k]
        # a follower that is free still gives the torque of its master
        reasons = [f"{x.place}: {x.reason or x.what}" for x in known if x.what != "mimic"]
        why = "; ".join(reasons[:3]) or "masses and places agree: gravity or armature may differ"
        values = (f"{ours[s, k]:.6g}", f"{theirs[s, k]:.6g}")
        return Difference(name, "torque", *values, why), ours.size


def _of_bodies(name: str, ours: Body, theirs: Body, floor: float) -> Iterator[Difference]:
    """Yield what differs between two bodies, with what may have happened."""
    if abs(ours.mass - theirs.mass) > AGREEMENT * max(ours.mass, theirs.mass):
        reason = "the mass is lost" if not theirs.mass else ""
        if not ours.mass:
            reason = "a mass that the file does not give"
        yield Difference(name, "mass", f"{ours.mass:.6g}", f"{theirs.mass:.6g}", reason)
    size = max(1.0, float(np.abs(ours.com).max()))
    if ours.mass and np.abs(ours.com - theirs.com).max() > AGREEMENT * size:
        reason = "dropped origin of the inertia" if not theirs.com.any() else ""
        yield Difference(name, "centre of mass", _listed(ours.com), _listed(theirs.com), reason)
    unit = max(float(np.abs(ours.inertia).max()), float(np.abs(theirs.inertia).max()), floor)
    if np.abs(ours.inertia - theirs.inertia).max() > AGREEMENT * unit:
        moments, others = (np.linalg.eigvalsh(x.inertia) for x in (ours, theirs))
        is_same = np.abs(moments - others).max() <= AGREEMENT * unit
        reason = "rotated inertia: equal principal moments about other axes" if is_same else ""
        here, there = (_listed(np.diag(x.inertia)) for x in (ours, theirs))
        yield Difference(name, "inertia", here, there, reason)


def _listed(values: np.ndarray) -> str:
    return f"({', '.join(f'{x:.5g}' for x in values)})"
