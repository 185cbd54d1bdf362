"""Random systems as people write them: particles, springs, drag, drives, charges, all functions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import dalembert as da
from dalembert.expr import Expr, total

COORDINATES = (
    "q1 q2 q3",
    "x y z",
    "theta phi psi",
    "theta1 theta2 theta3",
    "x1 x2 x_1",
    "r alpha x",
    "s X length",
    "q1 q2 x",
    "q1 theta l",
)
PARAMETERS = [
    "m",
    "M",
    "m1",
    "m2",
    "l1",
    "l2",
    "g",
    "k",
    "R",
    "J",
    "I_xx",
    "Ixx1",
    "a_c1",
    "omega",
    "eps",
    "lam",
    "mu",
    "d",
    "mass",
    "m_pole",
    "rho_0",
    "h",
    "H",
    "p_x",
    "e",
    "E",
    "F1x",
    "A",
    "B",
    "u1",
    "D",
    "c1",
    "beta",
    "kappa",
    "gamma0",
    "J_eq",
    "k_theta",
    "x0",
    "C",
    "N",
    "T",
    "V",
    "L",
    "lambda",
]
INPUTS = ("F", "tau", "tau1 tau2", "u", "F_x")


class Draw:
    """What one system is drawn from."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        n = rng.choice((1, 1, 2, 2, 3))
        words = rng.choice(COORDINATES).split()
        self.q = da.coordinates(" ".join(rng.sample(words, n)))
        taken = {x.symbol.name for x in self.q if x.symbol}
        free = [name for name in PARAMETERS if name not in taken]
        self.p = da.parameters(" ".join(rng.sample(free, 8)))
        self.f, self.w = da.function("f"), da.function("w")

    def number(self) -> Expr:
        """Return a number as people type it."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.5:
            return da.parse(str(rng.randint(1, 4)), [])
        if kind < 0.7:
            return da.parse(f"{rng.randint(1, 9)}/{rng.randint(2, 12)}", [])
        if kind < 0.9:
            return da.parse(f"{rng.uniform(0, 12):.{rng.randint(1, 4)}f}1", [])
        return rng.choice([da.pi, da.sqrt(2), da.sqrt(3) / 2, da.parse("0.70710678118654752", [])])

    def coordinate(self) -> Expr:
        """Return a coordinate."""
        return self.rng.choice(self.q)

    def parameter(self) -> Expr:
        """Return a parameter, seldom with a number."""
        p = self.rng.choice(self.p)
        return p if self.rng.random() < 0.85 else self.number() * p

    def angle(self) -> Expr:
        """Return a sum of coordinates, of multiples, or with time."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.45:
            return self.coordinate()
        if kind < 0.75:
            return total([rng.choice((1, -1, 2)) * x for x in self.some()])
        if kind < 0.85:
            return self.parameter() * da.time - self.coordinate()
        if kind < 0.95:
            return Fraction(1, rng.choice((2, 3))) * self.coordinate() + self.parameter()
        return self.coordinate() / self.parameter()

    def some(self) -> Sequence[Expr]:
        """Return some different coordinates."""
        return self.rng.sample(list(self.q), self.rng.randint(1, len(self.q)))

    def distance(self) -> Expr:
        """Return a distance, or its square root."""
        d2 = total([(x - self.rng.choice((0, self.parameter()))) ** 2 for x in self.some()])
        return da.sqrt(d2 + self.rng.choice((0, 1)) * self.parameter() ** 2)

    def potential(self) -> Expr:
        """Return a term of a potential energy."""
        rng, x, p = self.rng, self.coordinate(), self.parameter()
        return rng.choice(
            [
                lambda: p * (x - self.parameter()) ** 2 / 2,
                lambda: p * self.parameter() * x,
                lambda: p * self.parameter() * self.parameter() * da.cos(self.angle()),
                lambda: self.number() * p * (1 - da.cos(self.angle())),
                lambda: -p / (x - self.parameter()),
                lambda: p / self.distance(),
                lambda: p * (self.distance() - self.parameter()) ** 2 / 2,
                lambda: p * da.exp(-x / self.parameter()),
                lambda: p * da.log(1 + x**2 / self.parameter() ** 2),
                lambda: p * da.abs(x),
                lambda: p * da.tanh(x / self.parameter()),
                lambda: p * x**4 / 4 - self.parameter() * x**2 / 2,
                lambda: self.f(x) * p,
                lambda: self.f(x, 2 * self.coordinate() + x),
                lambda: p * self.w(da.time) * x,
                lambda: p * x * da.sin(self.parameter() * da.time),
                lambda: p / x**6 - self.parameter() / x**12,
                lambda: p * da.sqrt(1 + x**2),
                lambda: p * (1 + da.sin(x) ** 2) ** Fraction(3, 2),
                lambda: p * da.atan2(x, self.parameter()),
                lambda: p * (da.exp(x) + da.exp(-x)) / 2,
                lambda: p * da.cos(x) * da.sin(self.angle()) ** 2,
                lambda: p * (x**2 + 1) ** Fraction(1, 3),
                lambda: p * da.tan(x / 4) ** 2,
            ]
        )()

    def position(self) -> list[Expr]:
        """Return where a particle is in the plane."""
        rng, x = self.rng, self.coordinate()
        l = rng.choice((self.parameter(), self.coordinate()))
        return rng.choice(
            [
                lambda: [x, 0 * x],
                lambda: [x, self.coordinate()],
                lambda: [l * da.cos(self.angle()), l * da.sin(self.angle())],
                lambda: [x + l * da.sin(self.coordinate()), -l * da.cos(self.coordinate())],
                lambda: [
                    l * da.cos(x) + self.parameter() * da.cos(self.angle()),
                    l * da.sin(x) + self.parameter() * da.sin(self.angle()),
                ],
                lambda: [x, self.parameter() * x**2],
                lambda: [x + self.w(da.time), self.coordinate()],
                lambda: [
                    x + self.parameter() * da.cos(self.parameter() * da.time),
                    x * self.number(),
                ],
            ]
        )()


def random_system(rng: random.Random) -> da.System:
    """Return a system of one to three coordinates."""
    d = Draw(rng)
    kinetic = total([d.parameter() * x.dot**2 / 2 for x in d.q])
    for _ in range(rng.choice((0, 1, 1, 2))):
        speed = [x.dot for x in d.position()]
        kinetic = kinetic + d.parameter() * (speed[0] ** 2 + speed[1] ** 2) / 2
    potential = total([d.potential() for _ in range(rng.choice((0, 1, 1, 2, 3)))])
    forces: list[Expr] = [da.parse("0", []) for _ in d.q]
    for x in da.inputs(rng.choice(INPUTS)) if rng.random() < 0.6 else ():
        place = rng.randrange(len(forces))
        forces[place] = forces[place] + rng.choice((1, d.parameter(), da.cos(d.coordinate()))) * x
    dissipation = da.parse("0", [])
    if rng.random() < 0.4:
        v = d.coordinate().dot
        dissipation = rng.choice((d.parameter() * v**2 / 2, d.parameter() * da.abs(v) ** 3 / 3))
    ties: list[Expr] = []
    rolling: list[Expr] = []
    if len(d.q) > 1 and rng.random() < 0.25:
        x, y = rng.sample(list(d.q), 2)
        l = d.parameter()
        if rng.random() < 0.6:
            ties = [rng.choice((x**2 + y**2 - l**2, l * da.cos(x) - y, x - y - l))]
        else:
            rolling = [rng.choice((x.dot - l * y.dot, da.sin(x) * y.dot - da.cos(x) * x.dot))]
    return da.System(
        coordinates=list(d.q),
        kinetic=kinetic,
        potential=potential,
        forces=forces,
        dissipation=dissipation,
        constraints=ties,
        velocity_constraints=rolling,
    )
