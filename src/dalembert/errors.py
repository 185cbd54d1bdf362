"""Every error dalembert raises on purpose: one root, each also the built-in it is."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class DalembertError(Exception):
    """Root of all errors raised by dalembert."""


class InvalidExpression(DalembertError, ValueError):
    """A value or an operation that has no meaning as a real expression."""


class DivisionByZero(DalembertError, ZeroDivisionError):
    """A denominator that is exactly zero."""


class ParseError(DalembertError, ValueError):
    """Text that is not an expression; the message points at the column."""


class UnknownName(DalembertError, LookupError):
    """A name that nothing carries; the message lists the nearest known ones."""


class EvaluationError(DalembertError, ArithmeticError):
    """A numerical evaluation without a finite real value."""


class ShapeMismatch(EvaluationError):
    """An array whose last axes are not those that a function takes."""


class Undecided(DalembertError, ArithmeticError):
    """An equality that the canonical form can neither prove nor refute."""


class OutsideRing(DalembertError, LookupError):
    """A function, a root or an angle that a ring was not made for."""


class TooLarge(DalembertError, ValueError):
    """A closed form that would exceed a stated size."""


class InvalidSystem(DalembertError, ValueError):
    """A mechanical system whose description contradicts itself or is incomplete."""


class InvalidMechanism(DalembertError, ValueError):
    """A mechanism whose links and joints do not fit together, or a file that describes none."""


class MissingInertia(InvalidMechanism):
    """Dynamics of links that joints move and whose mass nobody gave."""


class FileError(DalembertError, OSError):
    """A file that cannot be read or written; ``errno`` is the system's number for the reason."""

    def __str__(self) -> str:
        return self.strerror or super().__str__()


class WrongMachineCode(DalembertError, RuntimeError):
    """Compiled code that gives other numbers for a batch than for its states, on this processor."""


class SingularSystem(DalembertError, ArithmeticError):
    """Equations that do not determine the accelerations or the multipliers."""


class MissingDependency(DalembertError, ImportError):
    """An optional package that is not installed; the message gives the command."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a phrase naming the known names closest to ``name``."""
    names = list(known)
    close = get_close_matches(str(name)[:100], names, n=3, cutoff=0.5)
    if close:
        return f"did you mean {', '.join(close)}?"
    return f"known: {', '.join(names[:8])}{', …' * (len(names) > 8)}" if names else "none is known"


def not_compiled(described: object, name: str) -> AttributeError:
    """Return the error for what a description does not have: most often a model was meant."""
    kind = type(described).__name__
    text = f"expected an attribute of a {kind}, got {name}"
    if name.startswith("_"):
        return AttributeError(text)
    known = {*dir(type(described)), *getattr(described, "__dataclass_fields__", ())}
    public = sorted(x for x in known if not x.startswith("_"))
    close = get_close_matches(name[:100], public, n=1, cutoff=0.8)
    hint = f"did you mean {close[0]}, or" if close else "did you mean"
    return AttributeError(f"{text}: {hint} a compiled model, da.compile({kind.lower()})?")
