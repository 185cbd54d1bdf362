"""A mechanical system as a person writes it: energies, forces, constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, Unpack

from dalembert.errors import InvalidSystem, nearest, not_compiled
from dalembert.expr import (
    ZERO,
    BySymbol,
    Expr,
    Kind,
    Matrix,
    Replacements,
    Scalar,
    as_expr,
    by_symbol,
    free_symbols,
    is_kind,
    substitute,
    symbol,
    symbol_text,
    total,
)
from dalembert.expr.data import packable
from dalembert.expr.undefined import definitions, function
from dalembert.mechanics.equations.formula import formulas_latex, formulas_text
from dalembert.mechanics.system.beam import Beam
from dalembert.mechanics.system.body import Body, Load, Vector, as_vector
from dalembert.mechanics.system.formulas import system_formulas
from dalembert.picture import Picture

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.results.momenta import Momenta


class SystemOptions(TypedDict, total=False):
    """What `System` takes beside coordinates and energies."""

    forces: Sequence[Scalar | Load]
    constraints: Sequence[Scalar]
    velocity_constraints: Sequence[Scalar]
    dissipation: Scalar
    keep_redundant: bool
    drawing: Picture | None


@packable
@dataclass(frozen=True, init=False)
class System:
    """Coordinates with a Lagrangian, forces and constraints.

    ``coordinates`` are symbols or their names. Give either ``kinetic`` (and ``potential``) or
    ``lagrangian``. ``forces`` holds one generalized force for each coordinate, `Load` objects, or
    both; ``constraints`` are a(q, t) = 0;
    ``velocity_constraints`` are expressions linear in the velocities that vanish (Pfaffian);
    ``dissipation`` is Rayleigh's function, whose gradient resists the motion. ``bodies`` and
    ``gravity`` record where the energies came from; `from_bodies` fills them in. ``loads`` are the
    `Load` objects among the forces, whose virtual work is in ``forces``. ``drawing`` is the picture
    that reports, animations and the studio show. Default: what follows from the bodies.

    >>> import dalembert as da
    >>> (y,) = da.coordinates("y")
    >>> m, g = da.parameters("m g")
    >>> (f,) = da.inputs("f")
    >>> particle = System(
    ...     kinetic=m * y.dot**2 / 2, potential=m * g * y, coordinates=[y], forces=[f]
    ... )
    >>> print(particle.equations())
    m ÿ + m g = f
    """

    coordinates: tuple[Expr, ...]
    kinetic: Expr
    potential: Expr
    lagrangian: Expr
    forces: tuple[Expr, ...]
    constraints: tuple[Expr, ...]
    velocity_constraints: tuple[Expr, ...]
    dissipation: Expr
    bodies: tuple[Body, ...]
    gravity: Matrix | None
    keep_redundant: bool
    loads: tuple[Load, ...] = field(compare=False)
    drawing: Picture | None = field(compare=False)

    # a checker of types finds such names itself
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise not_compiled(self, name)

    def __init__(
        self,
        *,
        coordinates: Sequence[Expr | str],
        kinetic: Scalar | None = None,
        potential: Scalar = 0,
        lagrangian: Scalar | None = None,
        forces: Sequence[Scalar | Load] = (),
        constraints: Sequence[Scalar] = (),
        velocity_constraints: Sequence[Scalar] = (),
        dissipation: Scalar = 0,
        bodies: Sequence[Body] = (),
        gravity: Matrix | None = None,
        keep_redundant: bool = False,
        drawing: Picture | None = None,
    ) -> None:
        if (kinetic is None) == (lagrangian is None):
            raise InvalidSystem(
                "expected either kinetic= (with potential=) or lagrangian=, "
                f"got {'neither: add one' if kinetic is None else 'both: drop one'}"
            )
        if lagrangian is not None and as_expr(potential) is not ZERO:
            raise InvalidSystem(
                "expected the potential inside lagrangian=, got potential= as well: drop one"
            )
        q = _checked_coordinates(coordinates)
        T, V = as_expr(kinetic if kinetic is not None else 0), as_expr(potential)
        L = T - V if lagrangian is None else as_expr(lagrangian)
        values: dict[str, Any] = {
            "coordinates": q,
            "kinetic": T,
            "potential": V,
            "lagrangian": L,
            "forces": _generalized_forces(forces, q),
            "constraints": tuple(map(as_expr, _listed(constraints, "constraints"))),
            "velocity_constraints": tuple(
                map(as_expr, _listed(velocity_constraints, "velocity_constraints"))
            ),
            "dissipation": as_expr(dissipation),
            "bodies": tuple(bodies),
            "gravity": gravity,
            "keep_redundant": keep_redundant,
            "loads": tuple(f for f in forces if isinstance(f, Load)),
            "drawing": drawing,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        _check_symbols(self)

    @classmethod
    def from_bodies(
        cls,
        bodies: Sequence[Body | Beam],
        *,
        coordinates: Sequence[Expr | str],
        gravity: Vector | None = None,
        potential: Scalar = 0,
        **options: Unpack[SystemOptions],
    ) -> System:
        """Return the system of rigid bodies, particles and beams.

        T = Σ ½ m ṙᵀṙ + ½ ωᵀ R I Rᵀ ω and V = potential - Σ m gᵀ r, where ``gravity`` is the vector
        g of free fall, such as ``(0, -g)``. A `Beam` counts as the particles that move as it does,
        and its strain energy is in V. The other options are those of `System`.
        """
        if not bodies:
            raise InvalidSystem("expected at least one body, got none: add a Body")
        beams = [x for x in bodies if isinstance(x, Beam)]
        bodies = [b for x in bodies for b in (x.bodies if isinstance(x, Beam) else (x,))]
        sizes = {body.r.shape[0] for body in bodies}
        if len(sizes) > 1:
            raise InvalidSystem(
                f"expected positions of one size, got sizes {sorted(sizes)}: use 2 or 3 throughout"
            )
        V = as_expr(potential)
        fall = None
        if gravity is not None:
            fall = as_vector(gravity, "gravity")
            if fall.shape[0] not in sizes:
                raise InvalidSystem(
                    f"expected gravity with {sizes.pop()} components as the positions have, "
                    f"got {fall.shape[0]}: give it the size of the positions"
                )
            V = V - total([as_expr(body.mass) * fall.dot(body.r) for body in bodies])
        V = V + total([beam.potential(fall) for beam in beams])
        T = total([body.kinetic() for body in bodies])
        return cls(
            coordinates=coordinates,
            kinetic=T,
            potential=V,
            bodies=bodies,
            gravity=fall,
            **options,
        )

    @classmethod
    def from_particles(
        cls,
        masses: Sequence[Scalar],
        positions: Sequence[Vector],
        *,
        coordinates: Sequence[Expr | str],
        gravity: Vector | None = None,
        potential: Scalar = 0,
        **options: Unpack[SystemOptions],
    ) -> System:
        """Return the system of point masses mᵢ at positions rᵢ(q, t); see `from_bodies`.

        >>> import dalembert as da
        >>> (a,) = da.coordinates("a")
        >>> m, l, g = da.parameters("m l g")
        >>> pendulum = System.from_particles(
        ...     [m], [(l * da.sin(a), -l * da.cos(a))], coordinates=[a], gravity=(0, -g)
        ... )
        >>> print(pendulum.equations())
        m l² ä + m g l sin(a) = 0
        """
        if len(masses) != len(positions):
            raise InvalidSystem(
                f"expected one position for each mass, got {len(masses)} masses and "
                f"{len(positions)} positions: pair them"
            )
        bodies = [Body(m, r) for m, r in zip(masses, positions, strict=True)]
        return cls.from_bodies(
            bodies, coordinates=coordinates, gravity=gravity, potential=potential, **options
        )

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """q̇ for each coordinate."""
        return tuple(q.dot for q in self.coordinates)

    @property
    def accelerations(self) -> tuple[Expr, ...]:
        """q̈ for each coordinate."""
        return tuple(q.ddot for q in self.coordinates)

    @property
    def is_bare(self) -> bool:
        """Whether only a Lagrangian was given, without its parts T and V."""
        return self.kinetic is ZERO

    @property
    def parameters(self) -> tuple[Expr, ...]:
        """The parameters that occur, by name."""
        found = [x for x in free_symbols(self.expressions()) if is_kind(x, Kind.PARAMETER)]
        return tuple(sorted(found, key=symbol_text))

    def expressions(self) -> list[Expr]:
        """Return every expression of the description."""
        return [
            self.kinetic,
            self.potential,
            self.lagrangian,
            self.dissipation,
            *self.forces,
            *self.constraints,
            *self.velocity_constraints,
        ]

    def differentiated(self) -> list[Expr]:
        """Return the expressions whose derivatives enter the equations: all but the forces."""
        return [
            self.kinetic,
            self.potential,
            self.lagrangian,
            self.dissipation,
            *self.constraints,
            *self.velocity_constraints,
        ]

    def bind(self, values: Replacements) -> System:
        """Return the system with values for some parameters, by symbol or by name.

        A function without a definition gets one as in ``Expr.subs``: ``{f: lambda x: x**2}``.

        Raises:
            UnknownName: a key is no parameter of the system.

        >>> import dalembert as da
        >>> (y,) = da.coordinates("y")
        >>> m, g = da.parameters("m g")
        >>> fall = System(kinetic=m * y.dot**2 / 2, potential=m * g * y, coordinates=[y])
        >>> fall.bind({m: 2, "g": 10}).parameters
        ()
        """
        if not values:
            return self
        functions, others = definitions(values)
        # by symbol: what is given by name need not occur in every body
        drawn = free_symbols(self.drawing.expressions() if self.drawing is not None else [])
        lengths = [x for x in drawn if is_kind(x, Kind.PARAMETER)]
        numbers = by_symbol(tuple(dict.fromkeys((*self.parameters, *lengths))), others)
        chosen = numbers | {function(f): d for f, d in functions.items()}
        new = iter(substitute(self.expressions(), chosen))
        kinetic, potential, lagrangian, dissipation = (next(new) for _ in range(4))
        is_bare = not self._has_parts
        return System(
            coordinates=self.coordinates,
            kinetic=None if is_bare else kinetic,
            potential=0 if is_bare else potential,
            lagrangian=lagrangian if is_bare else None,
            dissipation=dissipation,
            forces=[next(new) for _ in self.forces],
            constraints=[next(new) for _ in self.constraints],
            velocity_constraints=[next(new) for _ in self.velocity_constraints],
            bodies=[body.bind(chosen) for body in self.bodies],
            gravity=None if self.gravity is None else self.gravity.subs(chosen),
            keep_redundant=self.keep_redundant,
            drawing=None if self.drawing is None else self.drawing.subs(chosen),
        )

    def small_motion(self, about: BySymbol[Scalar] | None = None, order: int = 1) -> System:
        """Return the system near a point: its equations as Taylor polynomials of this order.

        Deviations q - q₀ and velocities count as small alike; ``about`` gives q₀, zero where it
        does not.

        >>> import dalembert as da
        >>> (a,) = da.coordinates("a")
        >>> m, l, g = da.parameters("m l g")
        >>> pendulum = System(
        ...     kinetic=m * l**2 * a.dot**2 / 2, potential=-m * g * l * da.cos(a), coordinates=[a]
        ... )
        >>> print(pendulum.small_motion(order=3).equations())
        m l² ä + m g l (a - a³/6) = 0
        """
        from dalembert.mechanics.small_motions.truncated import small_motion

        return small_motion(self, about, order)

    @property
    def _has_parts(self) -> bool:
        return self.lagrangian is self.kinetic - self.potential

    def packed_fields(self) -> dict[str, object]:
        """Return the arguments from which the same system is made."""
        energies = ("kinetic", "potential") if self._has_parts else ("lagrangian",)
        names = [f.name for f in fields(self)]
        left = ("kinetic", "potential", "lagrangian", *(() if self.drawing else ("drawing",)))
        others = [n for n in names if n not in left]
        return {name: getattr(self, name) for name in (*energies, *others)}

    @classmethod
    def from_packed(cls, loads: tuple[Load, ...], **options: Any) -> System:
        """Return a system with loads whose virtual work is in its forces already."""
        if not all(isinstance(load, Load) for load in loads):
            raise InvalidSystem(f"expected loads, got {loads!r:.60}")
        system = cls(**options)
        object.__setattr__(system, "loads", loads)
        return system

    def momenta(self) -> Momenta:
        """Return mass, centre of mass, momentum and angular momentum of the bodies.

        Raises:
            InvalidSystem: the system was given by its energies alone.
        """
        from dalembert.mechanics.results.momenta import momenta_of_bodies

        return momenta_of_bodies(self.bodies)

    def equations(self) -> Equations:
        """Derive the equations of motion by Lagrange's method, exactly."""
        from dalembert.mechanics.equations.lagrange import derive

        return derive(self)

    def __str__(self) -> str:
        return formulas_text(system_formulas(self))

    def _repr_latex_(self) -> str:
        return formulas_latex(system_formulas(self))


def _listed(values: Any, option: str) -> list[Any]:
    """Return the entries of a list; a lone expression is not one."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidSystem(
            f"expected a list for {option}=, got {values}: put it in square brackets"
        )
    return list(values)


def _checked_coordinates(given: Sequence[Expr | str]) -> tuple[Expr, ...]:
    words = given.replace(",", " ").split() if isinstance(given, str) else given
    coordinates = [as_coordinate(q) for q in _listed(words, "coordinates")]
    if not coordinates:
        raise InvalidSystem(
            "expected a list of at least one coordinate, got none: name them in coordinates="
        )
    for i, q in enumerate(coordinates):
        if q in coordinates[:i]:
            raise InvalidSystem(
                f"expected each coordinate once, got {symbol_text(q)} twice: remove one"
            )
    return tuple(coordinates)


def as_coordinate(q: Expr | str) -> Expr:
    """Return a coordinate, given itself or by its name."""
    if isinstance(q, str):
        return symbol(Kind.COORDINATE, q)
    if not isinstance(q, Expr) or not is_kind(q, Kind.COORDINATE, 0):
        raise InvalidSystem(
            f"expected coordinates made by da.coordinates, got {q}: "
            "list the coordinates themselves, not their rates or expressions"
        )
    return q


def _generalized_forces(forces: Sequence[Scalar | Load], q: tuple[Expr, ...]) -> tuple[Expr, ...]:
    given = _listed(forces, "forces")
    direct = [as_expr(f) for f in given if not isinstance(f, Load)]
    loads = [f for f in given if isinstance(f, Load)]
    if direct and len(direct) != len(q):
        names = ", ".join(symbol_text(x) for x in q)
        raise InvalidSystem(
            f"expected one generalized force for each of the {len(q)} coordinates ({names}), "
            f"got {len(direct)}: use 0 for a coordinate without force"
        )
    psi = direct or [ZERO] * len(q)
    for load in loads:
        psi = [a + b for a, b in zip(psi, load.generalized(q), strict=True)]
    return tuple(psi)


def _check_symbols(system: System) -> None:
    """Check that every symbol is known and stands where its kind may."""
    q = [s.symbol.name for s in system.coordinates if s.symbol]
    num_multipliers = len(system.constraints) + len(system.velocity_constraints)
    kinds = dict.fromkeys(q, Kind.COORDINATE)
    kinds |= {f"lam{i + 1}": Kind.MULTIPLIER for i in range(num_multipliers)}
    rules = [
        ("kinetic energy", [system.kinetic], 1, (Kind.INPUT, Kind.MULTIPLIER)),
        ("potential energy", [system.potential], 0, (Kind.INPUT, Kind.MULTIPLIER)),
        ("Lagrangian", [system.lagrangian], 1, (Kind.INPUT, Kind.MULTIPLIER)),
        ("dissipation", [system.dissipation], 1, (Kind.INPUT, Kind.MULTIPLIER)),
        ("forces", system.forces, 1, (Kind.MULTIPLIER,)),
        ("constraints", system.constraints, 0, (Kind.INPUT, Kind.MULTIPLIER)),
        ("velocity constraints", system.velocity_constraints, 1, (Kind.INPUT, Kind.MULTIPLIER)),
    ]
    for where, exprs, max_order, forbidden in rules:
        for x in free_symbols(exprs):
            s = x.symbol
            assert s is not None
            if s.name == "t" and s.kind is Kind.PARAMETER:
                raise InvalidSystem(
                    f"expected da.time for time, got a parameter called t in the {where}, which is "
                    "constant: use da.time, or give the parameter another name"
                )
            if kinds.setdefault(s.name, s.kind) is not s.kind:
                raise InvalidSystem(
                    f"expected one meaning for each name, got {s.name} as {kinds[s.name].value} "
                    f"and as {s.kind.value} (in the {where}): rename one"
                )
            if s.kind in forbidden:
                remedy = (
                    "put inputs into forces="
                    if s.kind is Kind.INPUT
                    else "multipliers come from the constraints by themselves"
                )
                raise InvalidSystem(
                    f"expected no {s.kind.value} in the {where}, got {s.name}: {remedy}"
                )
            if s.kind is Kind.COORDINATE and s.name not in q:
                raise InvalidSystem(
                    f"expected only listed coordinates, got {symbol_text(x)} in the {where}: "
                    f"add {s.name} to coordinates= or make it a parameter ({nearest(s.name, q)})"
                )
            if s.order > max_order:
                raise InvalidSystem(_order_message(where, x, max_order))


def _order_message(where: str, x: Expr, max_order: int) -> str:
    if where == "potential energy":
        remedy = "give velocity-dependent potentials as lagrangian="
    elif where == "constraints":
        remedy = "put constraints on velocities into velocity_constraints="
    else:
        remedy = "only coordinates and velocities may occur"
    allowed = "coordinates" if max_order == 0 else "coordinates and velocities"
    return f"expected only {allowed} in the {where}, got {symbol_text(x)}: {remedy}"
