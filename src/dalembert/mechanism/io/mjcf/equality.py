"""MuJoCo's equality constraints as loops and couplings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from dalembert.expr import total
from dalembert.mechanism.io.mjcf.view import View, counted, number, pose, vector
from dalembert.mechanism.mechanism import Coupling, Loop
from dalembert.mechanism.parts.law import EXTENSIONS, Law
from dalembert.mechanism.parts.link import Frame
from dalembert.spatial.pose import Pose


def closures(view: View) -> tuple[list[Loop], list[Coupling], list[str]]:
    """Return loops, couplings, and notes on what they leave out."""
    m, kinds = view.model, view.mujoco.mjtEq
    loops: list[Loop] = []
    couplings: list[Coupling] = []
    notes: list[str] = []
    if m.neq and view.disables("EQUALITY", "CONSTRAINT"):
        return (
            [],
            [],
            [f"{counted(m.neq, 'equality constraint')} switched off by the model's flags"],
        )
    for i, name in enumerate(view.equalities):
        kind = int(m.eq_type[i])
        if not m.eq_active0[i]:
            notes.append(f"equality {name!r} is not active at the start: not carried")
        elif kind == int(kinds.mjEQ_CONNECT):
            loops.append(_connect(view, i))
        elif kind == int(kinds.mjEQ_WELD):
            loops.append(_weld(view, i))
            if (scale := float(m.eq_data[i][10])) != 1:
                notes.append(
                    f"weld {name!r}: torquescale {scale:g} is the softness of its rotation; here "
                    "the weld is exact"
                )
        elif kind == int(kinds.mjEQ_JOINT):
            couplings.append(_joints(view, i))
        elif kind == int(kinds.mjEQ_TENDON) and (coupling := tendon_coupling(view, i)):
            couplings.append(coupling)
        else:
            what = "tendons" if kind == int(kinds.mjEQ_TENDON) else "flexes"
            notes.append(
                f"equality {name!r} of {what} is not carried: the mechanism is free to violate it"
            )
    if loops or couplings:
        number_of = counted(len(loops) + len(couplings), "equality constraint")
        notes.append(f"{number_of} exact here; in MuJoCo soft (solref, solimp)")
    return loops, couplings, notes


def _connect(view: View, i: int) -> Loop:
    data = view.model.eq_data[i]
    if _between_sites(view, i):
        return _loop(view, i, "point")
    return _loop(view, i, "point", Pose(p=vector(data[:3])), Pose(p=vector(data[3:6])))


def _weld(view: View, i: int) -> Loop:
    data = view.model.eq_data[i]
    if _between_sites(view, i):
        return _loop(view, i, "frame")
    # data: anchor in body 2, the same point in body 1, rotation of body 2 in body 1
    return _loop(view, i, "frame", pose(data[3:6], data[6:10]), Pose(p=vector(data[:3])))


def _between_sites(view: View, i: int) -> bool:
    return int(view.model.eq_objtype[i]) == int(view.mujoco.mjtObj.mjOBJ_SITE)


def _loop(view: View, i: int, kind: str, *placements: Pose) -> Loop:
    """Return the loop between two bodies with these placements, or else between two sites."""
    m, name, ends = view.model, view.equalities[i], []
    for k, target in enumerate((int(m.eq_obj1id[i]), int(m.eq_obj2id[i]))):
        if placements:
            body, X = target, placements[k]
        else:
            body, X = int(m.site_bodyid[target]), pose(m.site_pos[target], m.site_quat[target])
        ends.append(Frame(f"{name}/{k + 1}", view.bodies[body], X))
    return Loop(name, kind, ends[0], ends[1])


def _joints(view: View, i: int) -> Coupling:
    m = view.model
    joint, other = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
    a = [number(x) for x in m.eq_data[i][:5]]
    # y - y0 = Σ a_k (x - x0)ᵏ, in MuJoCo from the reference positions
    name, y0 = view.equalities[i], view.reference(joint)
    if other < 0:
        return Coupling.of(name, view.joints[joint], None, [y0 + a[0]])
    c = shifted(a, -view.reference(other))
    return Coupling.of(name, view.joints[joint], view.joints[other], [c[0] + y0, *c[1:]])


def tendon_coupling(view: View, i: int) -> Coupling | None:
    """Return the coupling of a fixed tendon whose length is constant, or follows another's.

    L₁ - L₁(reference) = Σ aₖ (L₂ - L₂(reference))ᵏ, solved for the first joint of L₁ alone.
    """
    m = view.model
    first, second = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
    terms = view.fixed_tendon(first)
    more = {} if second < 0 else view.fixed_tendon(second)
    alone = [joint for joint in terms or {} if joint not in (more or {})]
    if not terms or more is None or not alone:
        return None
    joint = alone[0]
    others = list(dict.fromkeys(x for x in (*terms, *more) if x != joint))
    if len(others) > len(EXTENSIONS):
        return None
    # q = (L₁(reference) + a₀ - Σ c q(other)) / c(joint), and the rest of the polynomial
    a, c = [number(x) for x in m.eq_data[i][:5]], Fraction(terms[joint])
    length = sum(k * view.reference(x) for x, k in terms.items())
    law = Law.linear([-terms.get(x, 0) / c for x in others], (length + a[0]) / c)
    if more:
        q = dict(zip(others, EXTENSIONS, strict=False))
        stretch = total([k * (q[x] - view.reference(x)) for x, k in more.items()])
        bends = total([x / c * stretch**k for k, x in enumerate(a) if k])
        law = Law.from_expression(law.expression + bends, EXTENSIONS, f"equality {i}")
    names = tuple(view.joints[x] for x in others)
    return Coupling(view.equalities[i], view.joints[joint], names, law)


def shifted(a: Sequence[int | Fraction], d: int | Fraction) -> tuple[int | Fraction, ...]:
    """Return c with Σ c_k xᵏ = Σ a_k (x + d)ᵏ, without trailing zeros.

    >>> shifted([0, 0, 1], 2)
    (4, 4, 1)
    """
    n = len(a)
    c = [sum(a[k] * comb(k, j) * d ** (k - j) for k in range(j, n)) for j in range(n)]
    while len(c) > 1 and not c[-1]:
        c.pop()
    return tuple(c)
