"""What a mechanism is: links in a tree of joints, loops that close it, gravity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from dalembert.errors import UnknownName, nearest, not_compiled
from dalembert.expr import (
    BySymbol,
    Expr,
    by_symbol,
    free_symbols,
    substitute,
    symbol_text,
    time,
)
from dalembert.expr.data import packable
from dalembert.mechanism.checks import check_parts, sorted_tree
from dalembert.mechanism.parts.actuator import Actuator
from dalembert.mechanism.parts.closure import Coupling, Loop
from dalembert.mechanism.parts.joint import Joint
from dalembert.mechanism.parts.keyframe import Keyframe
from dalembert.mechanism.parts.link import Frame, Link
from dalembert.mechanism.parts.spring import Spring
from dalembert.mechanism.physics import check_physics
from dalembert.mechanism.time_dependence import check_time_dependence
from dalembert.mechanism.variants.additions import (
    with_floating_base,
    with_frame,
    with_inertia,
    with_keyframe,
    with_loop,
)
from dalembert.mechanism.variants.attach import attached
from dalembert.mechanism.variants.elastic_joint import with_elastic_joint
from dalembert.mechanism.variants.euler_angles import with_euler_angles
from dalembert.mechanism.variants.lock import locked
from dalembert.mechanism.variants.mirror import mirrored
from dalembert.mechanism.variants.payload import with_payload
from dalembert.mechanism.variants.reduce import reduced
from dalembert.mechanism.variants.remove import without
from dalembert.mechanism.variants.rename import renamed
from dalembert.mechanism.variants.rotors import with_rotors
from dalembert.mechanism.variants.symbolic import symbolic
from dalembert.spatial.exact import exact, exact_vector
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec
from dalembert.types import Scalar

if TYPE_CHECKING:
    from dalembert.mechanics.equations.derivation import Derivation
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.proofs.proof import Proof
    from dalembert.mechanics.results.base_parameters import BaseParameters
    from dalembert.mechanics.results.momenta import Momenta
    from dalembert.mechanics.robots.maximal import MaximalForm
    from dalembert.mechanics.robots.rolling import Rolling
    from dalembert.mechanics.robots.singularities import Singularities
    from dalembert.mechanics.system.system import System
    from dalembert.mechanism.io.dh import DHRow
    from dalembert.mechanism.io.screws import Screw

Part = TypeVar("Part")
STANDARD_GRAVITY: Vec = (0, 0, exact(-9.81))


@packable
@dataclass(frozen=True)
class Mechanism:
    """Links joined in a tree; the first link is the root, which does not move.

    Joints are in file order, parents before children. ``loops`` and ``couplings`` close the tree,
    ``actuators`` drive it, ``springs`` act between its parts; ``keyframes`` are configurations with
    names. Numbers are exact, or expressions in parameters; some may depend on the time
    (`time_dependence`). All pass `physics`; ``accept_nonphysical`` keeps inertias of no body.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    gravity: Vec = STANDARD_GRAVITY
    frames: tuple[Frame, ...] = ()
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    springs: tuple[Spring, ...] = ()
    keyframes: tuple[Keyframe, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
    accept_nonphysical: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", exact_vector(self.gravity))
        object.__setattr__(self, "joints", sorted_tree(self))
        check_parts(self)
        check_physics(self)
        check_time_dependence(self)

    if not TYPE_CHECKING:  # a checker of types finds such names itself

        def __getattr__(self, name: str) -> NoReturn:
            raise not_compiled(self, name)

    # ---- names

    @property
    def root(self) -> str:
        """The link that does not move."""
        return self.links[0].name

    @cached_property
    def _links(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    @cached_property
    def _joints(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    def __getitem__(self, name: str) -> Joint:
        """Return the joint of this name."""
        return self.joint(name)

    def link(self, name: str) -> Link:
        """Return the link of this name."""
        return _find(self._links, name, "link", self.name)

    def joint(self, name: str) -> Joint:
        """Return the joint of this name."""
        return _find(self._joints, name, "joint", self.name)

    def frame(self, name: str) -> Frame:
        """Return the frame of this name; every link is a frame too."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        known = {**{f.name: f for f in self.frames}, **self._links}
        _find(known, name, "frame", self.name)
        return Frame(name, name)

    def keyframe(self, name: str) -> Keyframe:
        """Return the keyframe of this name."""
        return _find({x.name: x for x in self.keyframes}, name, "keyframe", self.name)

    # ---- sizes

    @property
    def moving_joints(self) -> tuple[Joint, ...]:
        """The joints that own coordinates, in order."""
        return tuple(joint for joint in self.joints if joint.nv)

    @property
    def nq(self) -> int:
        """Length of the configuration q."""
        return sum(joint.nq for joint in self.joints)

    @property
    def nv(self) -> int:
        """Length of the velocity."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def degrees_of_freedom(self) -> int | None:
        """The velocities that loops and couplings leave free at a generic closed configuration.

        Computed in numbers, see `mechanics.robots.mobility`; None where no closed configuration
        was found. Without loops and couplings it is ``nv``.
        """
        if not (self.loops or self.couplings):
            return self.nv
        from dalembert.mechanics.robots.mobility import degrees_of_freedom

        return degrees_of_freedom(self)

    @property
    def total_mass(self) -> Any:
        """The mass of all links in kg, that of the root included."""
        return sum((link.inertia.m for link in self.links), 0)

    def master_of(self, joint: Joint) -> tuple[Joint, Any, Any]:
        """Return the joint that sets a joint's position, and k, c with q(joint) = k q(master) + c.

        A joint that mimics no other is its own master, with k = 1 and c = 0.
        """
        return self._masters[joint.name]

    @cached_property
    def _masters(self) -> dict[str, tuple[Joint, Any, Any]]:
        found: dict[str, tuple[Joint, Any, Any]] = {}
        for joint in self.joints:
            chain = []
            while joint.name not in found and joint.mimic is not None:
                chain.append(joint)
                joint = self._joints[joint.mimic.joint]
            master, k, c = found.setdefault(joint.name, (joint, 1, 0))
            for follower in reversed(chain):
                # q = k' (k q + c) + c'
                _, factor, offset = follower.mimic  # type: ignore[misc]
                k, c = factor * k, factor * c + offset
                found[follower.name] = master, k, c
        return found

    # ---- parameters

    @property
    def parameters(self) -> tuple[Expr, ...]:
        """The symbols that occur, by name, without the time."""
        return tuple(sorted((x for x in self._symbols if x is not time), key=symbol_text))

    @property
    def is_timed(self) -> bool:
        """Whether anything is prescribed as a function of ``da.time``."""
        return time in self._symbols

    @cached_property
    def _symbols(self) -> tuple[Expr, ...]:
        scalars: list[Expr] = []
        self._mapped(lambda x: scalars.append(x) or x if isinstance(x, Expr) else x)
        return tuple(free_symbols(scalars))

    def bind(self, values: BySymbol[Scalar]) -> Mechanism:
        """Return the mechanism with parameters, by symbol or name, replaced by values.

        A value is a number or an expression.

        Raises:
            UnknownName: a key is no parameter of the mechanism.

        >>> import dalembert as da
        >>> (m,) = da.parameters("m")
        >>> arm = da.Builder("arm").link("a", mass=m).revolute("j", "a").build()
        >>> arm.bind({m: 2}) == arm.bind({"m": 2})
        True
        """
        new = {x: exact(value) for x, value in by_symbol(self.parameters, values).items()}

        def bound(x: Any) -> Any:
            return exact(substitute([x], new)[0]) if isinstance(x, Expr) else x

        return replace(self, **self._mapped(bound))

    def _mapped(self, f: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the fields that hold numbers, with f applied to every number."""
        return {
            "links": tuple(link.map(f) for link in self.links),
            "joints": tuple(joint.map(f) for joint in self.joints),
            "gravity": tuple(f(x) for x in self.gravity),
            "frames": tuple(frame.map(f) for frame in self.frames),
            "loops": tuple(loop.map(f) for loop in self.loops),
            "couplings": tuple(coupling.map(f) for coupling in self.couplings),
            "actuators": tuple(actuator.map(f) for actuator in self.actuators),
            "springs": tuple(spring.map(f) for spring in self.springs),
            "keyframes": tuple(keyframe.map(f) for keyframe in self.keyframes),
        }

    # ---- variants: each a new mechanism that passes the same checks; the functions of `variants`

    add_frame = with_frame
    add_keyframe = with_keyframe
    add_loop = with_loop
    attach = attached
    lock = locked
    mirror = mirrored
    reduce = reduced
    remove = without
    rename = renamed
    replace_inertia = with_inertia
    with_floating_base = with_floating_base

    def with_euler_angles(self, sequence: str = "zyx") -> Mechanism:
        """Return the mechanism with ball and free joints as hinges and sliders in turn."""
        return with_euler_angles(self, sequence)

    def with_rotors(self) -> Mechanism:
        """Return the mechanism with the rotors of actuators as armature of joints, or as links."""
        return with_rotors(self)

    def with_payload(
        self,
        frame: str,
        *,
        mass: Scalar,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Scalar] | None = None,
    ) -> Mechanism:
        """Return the mechanism with a load fixed to a link or frame; numbers as in `Link.of`."""
        return with_payload(self, frame, mass=mass, com=com, inertia=inertia)

    def with_elastic_joint(
        self, joint: str, *, stiffness: Scalar, damping: Scalar = 0
    ) -> Mechanism:
        """Return the mechanism with a spring between a joint's drive and its link.

        The drive becomes a joint of its own, ``<joint>_motor``; see `variants.elastic_joint`.
        """
        return with_elastic_joint(self, joint, stiffness=stiffness, damping=damping)

    def symbolic(self) -> Mechanism:
        """Return the mechanism with every mass, centre of mass, inertia and length named."""
        return symbolic(self)[0]

    def symbolic_values(self) -> dict[Expr, Any]:
        """Return the numbers behind the names that `symbolic` gives; `bind` puts them back."""
        return symbolic(self)[1]

    # ---- equations, derived by the layer above: imported when they are asked for

    def system(
        self,
        *,
        external: Mapping[str, Sequence[Scalar]] | None = None,
        smoothing: Scalar | None = None,
        rolling: Sequence[Rolling] = (),
    ) -> System:
        """Return T, V, forces and constraints as a `System`, built by the recursions.

        ``external`` are wrenches and ``smoothing`` is a velocity, both as in `equations`;
        ``rolling`` are wheels and balls that do not slip, see `Rolling`.

        >>> import dalembert as da
        >>> slide = da.Builder("slide").link("a", mass=1).prismatic("j", "a", friction=3).build()
        >>> print(slide.system(smoothing=0.5).forces[0])
        τ₁ - 3 tanh(2 q̇₁)
        """
        from dalembert.mechanics.robots.equations import system_of

        return system_of(self, external, smoothing, rolling)

    def equations(
        self,
        *,
        external: Mapping[str, Sequence[Scalar]] | None = None,
        smoothing: Scalar | None = None,
    ) -> Equations:
        """Return the exact `Equations` of motion in the coordinates q1, q2, … of the joints.

        ``external`` are wrenches (force, moment) by the frame or link that they act on, six
        numbers or expressions each, in world axes at the frame's origin. By virtual work their
        generalized forces are Jᵀ F. With ``smoothing``, a velocity in rad/s or m/s or a symbol for
        one, dry friction goes with tanh(v / smoothing) instead of the sign of v.

        >>> import dalembert as da
        >>> (F,) = da.inputs("F")
        >>> arm = da.Builder("arm").link("a", mass=1, inertia=(1, 1, 1)).revolute("j", "a")
        >>> arm = arm.frame("tip", "a", origin=(2, 0, 0)).build()
        >>> print(arm.equations(external={"tip": (0, F, 0, 0, 0, 0)}))
        q̈₁ = 2 F c₁ + τ₁
        where c₁ = cos(q₁)
        """
        from dalembert.mechanics.robots.equations import equations_of

        return equations_of(self, external, smoothing)

    def maximal(self) -> MaximalForm:
        """Return the `System` of single links with joints as constraints, and h(q).

        Springs, friction, rotors, loops, couplings, mimic joints and screws act as in `equations`;
        angles that they ask for are right within π of the joint's reference.
        ``maximal().system.equations().change_coordinates(maximal().positions)`` are the equations
        of the joints again.
        """
        from dalembert.mechanics.robots.maximal import maximal_form

        return maximal_form(self)

    def prove(self) -> list[Proof]:
        """Prove that Newton–Euler equals Lagrange's equations, and their properties."""
        from dalembert.mechanics.robots.proofs import prove

        return prove(self)

    def base_parameters(self) -> BaseParameters:
        """Return the fewest combinations of link, rotor and spring parameters that move it."""
        from dalembert.mechanics.robots.base_parameters import base_parameters

        return base_parameters(self)

    def momenta(self) -> Momenta:
        """Return mass, centre of mass and momenta of the moving links, in q1, q2, …"""
        from dalembert.mechanics.robots.equations import momenta_of

        return momenta_of(self)

    def screw_derivation(self) -> Derivation:
        """Return the derivation by screws in fourteen steps (SDM283), for a serial arm."""
        from dalembert.mechanics.robots.screws.derivation import screw_derivation

        return screw_derivation(self)

    def singularities(self, frame: str, rows: Sequence[int] | None = None) -> Singularities:
        """Return where the Jacobian of a frame loses rank: det J, exactly, in factors.

        ``rows`` chooses of (linear, angular) in world axes; all six unless given.

        >>> import dalembert as da
        >>> print(da.textbook.robots.planar_arm_nr(2).singularities("tip", rows=(0, 1)))
        J of 'tip' in planar_2r, rows vx, vy
        det J = a₁ a₂ s₂
        singular where s₂ = 0
        """
        from dalembert.mechanics.robots.singularities import singularities

        return singularities(self, frame, rows)

    # ---- serial arms

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[DHRow | Sequence[Scalar]],
        *,
        links: Sequence[Link] | None = None,
        modified: bool = False,
        name: str = "arm",
        gravity: Sequence[Scalar] | None = None,
        limits: Sequence[tuple[float, float]] | None = None,
        accept_nonphysical: bool = False,
    ) -> Mechanism:
        """Return the serial arm of a Denavit–Hartenberg table.

        Standard: X_{i-1,i} = R_z(θ) T_z(d) T_x(a) R_x(α), the frame of link i at its far end.
        Modified: X_{i-1,i} = R_x(α) T_x(a) R_z(θ) T_z(d), the frame of link i at its own joint.
        Each row is (a, α, d, θ) with θ the offset of a revolute joint (d that of a prismatic one);
        ``links`` give the inertias in these frames, ``limits`` lower and upper positions;
        ``accept_nonphysical`` keeps inertias that no body has.
        """
        from dalembert.mechanism.io.dh import dh_chain

        links, joints = dh_chain(rows, links, modified, limits)
        return cls(name, links, joints, _gravity(gravity), accept_nonphysical=accept_nonphysical)

    @classmethod
    def from_screws(
        cls,
        screws: Sequence[Screw],
        home: Sequence[Pose],
        *,
        body: bool = False,
        links: Sequence[Link] | None = None,
        name: str = "arm",
        gravity: Sequence[Scalar] | None = None,
        accept_nonphysical: bool = False,
    ) -> Mechanism:
        """Return the serial arm X_WLᵢ(q) = e^{ξ̂₁q₁} … e^{ξ̂ᵢqᵢ} X_WLᵢ(0).

        ``screws`` are the twists ξ = (v, ω) of the joints in the home configuration, in the world's
        frame (or each in the frame of its own link, with ``body``); ``home`` the poses of the links
        there. A revolute joint has |ω| = 1 and v = -ω × p for a point p of its axis (plus pitch · ω
        for a helical one; a pitch below 1e-12 is that of a hinge, rounded); a prismatic joint has
        ω = 0 and |v| = 1. ``accept_nonphysical`` as in `from_dh`.
        """
        from dalembert.mechanism.io.screws import screw_chain

        own = screw_chain(screws, home, links, body)
        return cls(name, *own, _gravity(gravity), accept_nonphysical=accept_nonphysical)

    def __str__(self) -> str:
        lines = [f"{self.name}: {len(self.links)} links, {self._freedoms()}"]
        place = 0
        for joint in self.joints:
            if joint.mimic:
                m = joint.mimic
                where = f"mimics {m.joint}: {m.multiplier} q + {m.offset}"
            elif joint.nv:
                end = place + joint.nv
                where = f"v[{place}]" if joint.nv == 1 else f"v[{place}:{end}]"
                place = end
            else:
                where = ""
            kind = f"{joint.kind.value} {joint.name}"
            lines.append(f"  {joint.parent} → {joint.child}  {kind}  {where}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _freedoms(self) -> str:
        if not (self.loops or self.couplings):
            return f"{self.nv} degree{'s' * (self.nv != 1)} of freedom"
        parts = ((len(self.loops), "loop"), (len(self.couplings), "coupling"))
        closed = " and ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in parts if n)
        closures = f"{self.nv} velocities under {closed}"
        if self.degrees_of_freedom is None:
            return f"{closures} (no configuration found that closes them)"
        free = self.degrees_of_freedom
        return f"{free} degree{'s' * (free != 1)} of freedom: {closures}"


def _gravity(g: Sequence[Scalar] | None) -> Vec:
    return STANDARD_GRAVITY if g is None else exact_vector(g)


def _find(known: Mapping[str, Part], name: str, what: str, where: str) -> Part:
    if not isinstance(name, str) or name not in known:
        raise UnknownName(
            f"expected a {what} of {where}, got {name!r:.60} ({nearest(str(name), known)})"
        )
    return known[name]
