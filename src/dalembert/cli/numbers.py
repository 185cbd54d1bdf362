"""Numbers on the command line: lists, and values by name."""

from collections.abc import Iterable, Sequence

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.reader import parse


def scalar(text: str, what: str) -> float:
    """Return the number that a text stands for, such as ``-1.5`` or ``pi/2``.

    Raises:
        EvaluationError: it is none.
    """
    # loads NumPy, which --help does without
    from dalembert.expr.evaluate import evaluate

    try:
        return float(evaluate([parse(text, [])], {})[0])
    except (ValueError, LookupError, ArithmeticError) as error:
        raise EvaluationError(f"expected a number for {what}, got {text[:60]!r}: {error}") from None


def by_name(pairs: Iterable[str], option: str) -> dict[str, float]:
    """Return numbers by name from texts such as ``m=2``.

    Raises:
        EvaluationError: a text is no such pair, or a name comes twice.
    """
    found: dict[str, float] = {}
    for pair in pairs:
        name, sign, value = (x.strip() for x in pair.partition("="))
        if not sign or not name:
            raise EvaluationError(f"expected NAME=NUMBER for {option}, got {pair[:60]!r}")
        if name in found:
            raise EvaluationError(f"expected {name[:60]!r} once for {option}, got it twice")
        found[name] = scalar(value, f"{name[:60]!r} of {option}")
    return found


def vector(
    text: str | None, names: Sequence[str], default: Iterable[float], option: str
) -> list[float]:
    """Return numbers, one for each name: all of them in order, or some by name.

    Args:
        text: ``"0.1, 0.2"`` or ``"elbow=0.2"``; None for the default.
        names: What the numbers belong to.
        default: The numbers that are not given by name.
        option: What an error calls it.

    Raises:
        EvaluationError: the text is no such list, or has another length.
        UnknownName: a name that is not among the names.
    """
    if text is None:
        return [float(x) for x in default]
    items = [x for x in text.split(",") if x.strip()]
    if "=" not in text:
        if len(items) != len(names):
            raise EvaluationError(
                f"expected {len(names)} numbers for {option} ({', '.join(names[:8])}"
                f"{', …' * (len(names) > 8)}), got {len(items)}: or give some as NAME=NUMBER"
            )
        return [scalar(x, f"{option} of {name!r}") for x, name in zip(items, names, strict=True)]
    found = by_name(items, option)
    for name in found:
        if name not in names:
            raise UnknownName(
                f"expected a name for {option}, got {name[:60]!r} ({nearest(name, names)})"
            )
    return [found.get(name, float(x)) for name, x in zip(names, default, strict=True)]
