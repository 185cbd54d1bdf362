"""Groups of angles that are small whole combinations of few independent ones.

cos 50φ is a polynomial of degree 50 in cos φ: long, and its terms cancel in floating point. So
angles whose common part would be that small stay apart, each group with sines and cosines of its
own. Those of different groups may then depend on each other, as cos q and cos 0.98 q do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, prod

import flint

from dalembert.ring.choose.angles import (
    LinearForm,
    Multiples,
    Term,
    angle_multiples,
    independent_angles,
)
from dalembert.ring.choose.nesting import nesting

MAX_MULTIPLE = 6
"""Of an independent angle: cos 6φ has coefficients up to 48, which cost two digits of a double."""
MAX_PRODUCTS = 256
"""Products of sines and cosines into which those of one sum of angles are expanded."""
WEIGHT = 10**6
"""Of an unmet part of a sum of angles: greater than any number of multiples worth expanding."""


def clusters(forms: Sequence[LinearForm], *, ordered: bool = False) -> list[list[LinearForm]]:
    """Return groups of independent angles; each form is a small combination in one of them."""
    distinct = list({frozenset(form.items()): form for form in forms if form}.values())
    basis = independent_angles(distinct, ordered=ordered)
    if all(_fits(basis, form) for form in distinct):
        return [basis] if basis else []
    groups: list[list[LinearForm]] = []
    members: list[list[LinearForm]] = []
    for form in sorted(distinct, key=_size):
        for k, group in enumerate(groups):
            found = _joined(group, members[k], form, ordered)
            # an angle has one place: of two groups with one angle the waves would count it twice
            others = [angle for other in groups if other is not group for angle in other]
            if found is not None and not any(angle in others for angle in found):
                groups[k] = found
                members[k].append(form)
                break
        else:
            groups.append([_positive(form)])
            members.append([form])
    return groups


def _size(form: LinearForm) -> tuple[int, int, Fraction]:
    # what is inside comes first: no angle is written by one that has it inside
    return max(map(nesting, form)), len(form), sum(map(abs, form.values()), Fraction(0))


def _positive(form: LinearForm) -> LinearForm:
    first = next(iter(form.values()))
    return form if first > 0 else {t: -k for t, k in form.items()}


def _joined(
    group: list[LinearForm], members: Sequence[LinearForm], form: LinearForm, ordered: bool
) -> list[LinearForm] | None:
    """Return the independent angles of a group with another form, None if it does not fit."""
    if _fits(group, form):
        return group
    if is_independent([*group, form]):
        return [*group, _positive(form)]
    basis = independent_angles([*members, form], ordered=ordered)
    return basis if all(_fits(basis, x) for x in (*members, form)) else None


def _fits(basis: Sequence[LinearForm], form: LinearForm) -> bool:
    if form in basis:
        return True
    multiples = angle_multiples(basis, form)
    return multiples is not None and are_small(multiples)


def are_small(multiples: Multiples) -> bool:
    """Tell whether the sine of a combination is a short polynomial with small coefficients."""
    return (
        all(abs(n) <= MAX_MULTIPLE for _, n in multiples)
        and prod(abs(n) + 1 for _, n in multiples) <= MAX_PRODUCTS
    )


def whole_combination(
    angles: Sequence[Mapping[Term, Fraction]], form: Mapping[Term, Fraction]
) -> Multiples | None:
    """Return small whole multiples of angles with the form as their sum, None if none are found.

    The angles may depend on each other, so that the multiples are not unique: (multiples, sum) are
    short vectors of a lattice.
    """
    terms = list(dict.fromkeys([*form, *(t for angle in angles for t in angle)]))
    scale = lcm(*(k.denominator for x in (*angles, form) for k in x.values()))
    n = len(angles)
    rows = []
    for i, x in enumerate((*angles, form)):
        unit = [int(i == j) for j in range(n + 1)]
        rows.append([*unit, *(int(x.get(t, 0) * scale) * WEIGHT for t in terms)])
    for row in flint.fmpz_mat(rows).lll().tolist():
        if not any(row[n + 1 :]) and abs(row[n]) == 1:
            return [(i, -int(k * row[n])) for i, k in enumerate(row[:n]) if k]
    return None


def is_independent(forms: Sequence[LinearForm]) -> bool:
    """Tell whether no form is a rational combination of the others."""
    return rank(forms) == len(forms)


def rank(forms: Sequence[LinearForm]) -> int:
    """Return the number of forms that are independent over the rationals."""
    terms = list(dict.fromkeys(t for form in forms for t in form))
    if not terms:
        return 0
    scale = lcm(*(k.denominator for form in forms for k in form.values()))
    rows = [[int(form.get(t, 0) * scale) for t in terms] for form in forms]
    return int(flint.fmpz_mat(rows).rank())


def dependent(forms: Sequence[LinearForm]) -> list[int]:
    """Return the numbers of the forms that share terms, directly or not, with dependent ones."""
    if is_independent(forms):
        return []
    parts: list[tuple[set[object], list[int]]] = []
    for i, form in enumerate(forms):
        terms: set[object] = set(form)
        here = [i]
        for part in [p for p in parts if p[0] & terms]:
            parts.remove(part)
            terms, here = terms | part[0], [*part[1], *here]
        parts.append((terms, here))
    return sorted(
        i for _, here in parts if rank([forms[i] for i in here]) < len(here) for i in here
    )
