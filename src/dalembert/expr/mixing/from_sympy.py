"""SymPy objects to expressions; objects only, text is never evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add, mul
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias, cast, overload

from dalembert.errors import InvalidExpression
from dalembert.expr.fold import power
from dalembert.expr.functions import COMPOSED, FUNCTIONS, exp, log
from dalembert.expr.graph import Kind, Symbol
from dalembert.expr.matrix import Matrix
from dalembert.expr.mixing.to_sympy import SYMPY_NAMES, sympy_module
from dalembert.expr.node import ONE, PI, ZERO, Expr, Scalar, as_expr, constant, make
from dalembert.expr.symbols import symbol
from dalembert.expr.undefined import Applied, function

if TYPE_CHECKING:
    import sympy

    Name: TypeAlias = str | sympy.Basic | type[sympy.Basic]
    Names: TypeAlias = str | Iterable[Name]


@overload
def from_sympy(
    obj: sympy.MatrixBase,
    *,
    coordinates: Names = (),
    inputs: Names = (),
    multipliers: Names = (),
    functions: Names = (),
    time: Name = "t",
) -> Matrix: ...
@overload
def from_sympy(
    obj: Sequence[Any],
    *,
    coordinates: Names = (),
    inputs: Names = (),
    multipliers: Names = (),
    functions: Names = (),
    time: Name = "t",
) -> list[Any]: ...
@overload
def from_sympy(
    obj: sympy.Basic | Scalar,
    *,
    coordinates: Names = (),
    inputs: Names = (),
    multipliers: Names = (),
    functions: Names = (),
    time: Name = "t",
) -> Expr: ...
def from_sympy(
    obj: object,
    *,
    coordinates: Names = (),
    inputs: Names = (),
    multipliers: Names = (),
    functions: Names = (),
    time: Name = "t",
) -> Expr | Matrix | list[Any]:
    """Convert a SymPy expression, matrix or list to dalembert.

    Functions of time become coordinates and plain symbols become parameters, except the names
    listed under another kind. Floats keep their decimal meaning, as everywhere.

    Args:
        obj: a SymPy expression or matrix, or a list of them.
        coordinates, inputs, multipliers: names or SymPy objects of these kinds.
        functions: names of functions without a definition, as f in f(x, y).
        time: the name or the symbol of time.

    Raises:
        InvalidExpression: text, or a node without a real meaning in dalembert, named by its type.
        MissingDependency: SymPy is not installed.

    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> from dalembert.expr import coordinates
    >>> (q,) = coordinates("q")
    >>> from_sympy(dynamicsymbols("q", 1) ** 2) is q.dot**2
    True
    """
    sp = sympy_module()
    kinds: dict[str, Kind] = {}
    for kind, names in (
        (Kind.COORDINATE, coordinates),
        (Kind.INPUT, inputs),
        (Kind.MULTIPLIER, multipliers),
        (Kind.TIME, [time]),
    ):
        for name in _names(names):
            if kinds.setdefault(name, kind) is not kind:
                raise InvalidExpression(
                    f"expected one kind for each name, got {name!r} as {kinds[name].value} and as "
                    f"{kind.value}: list it once"
                )
    return _converted(obj, _Reader(sp, kinds, set(_names(functions))))


_REMEDIES = {
    "ComplexInfinity": "expressions are real and finite",
    "Derivative": "call .doit() first; only derivatives of functions of time stay",
    "Equality": "pass lhs - rhs",
    "ImaginaryUnit": "expressions are real and finite",
    "Infinity": "expressions are real and finite",
    "Integral": "call .doit() first",
    "NaN": "expressions are real and finite",
    "NegativeInfinity": "expressions are real and finite",
    "Piecewise": "convert each piece on its own",
}

MAX_FLOAT_EXPONENT = 10_000
"""Largest binary exponent of a SymPy Float; its exact value is written out."""


def _names(names: Iterable[Any]) -> list[str]:
    if isinstance(names, str):
        return names.replace(",", " ").split()
    return [_name(x) for x in names]


def _name(x: Any) -> str:
    """Return the name of a symbol, of an applied function, or the text itself."""
    import sympy
    from sympy.core.function import UndefinedFunction

    if isinstance(x, str):
        return x
    if isinstance(x, sympy.Symbol):
        return x.name
    function = x if isinstance(x, type) else type(x)
    if isinstance(function, UndefinedFunction):
        return function.__name__
    raise InvalidExpression(
        f"expected a name, a SymPy symbol or a function of time, got {type(x).__name__}"
    )


def _converted(obj: Any, reader: _Reader) -> Any:
    sp = reader.sp
    if isinstance(obj, str | bytes):
        raise InvalidExpression(
            "expected a SymPy object (objects only), got text: use da.parse for text"
        )
    if isinstance(obj, sp.MatrixBase):
        m, n = obj.shape
        return Matrix([[reader.read(obj[i, j]) for j in range(n)] for i in range(m)], n)
    if isinstance(obj, list | tuple | sp.Tuple):
        return [_converted(x, reader) for x in obj]
    if isinstance(obj, sp.Basic):
        return reader.read(obj)
    return as_expr(obj)


class _Call(NamedTuple):
    """An undefined function with its arguments, which are SymPy objects."""

    value: Applied
    args: tuple[Any, ...]


class _Reader:
    """Walks SymPy trees without recursion, and remembers which object each symbol came from."""

    def __init__(self, sp: ModuleType, kinds: dict[str, Kind], undefined: set[str]) -> None:
        self.sp = sp
        self.kinds = kinds
        self.undefined = undefined
        self.origin: dict[Expr, Any] = {}
        self.functions = _functions(sp)

    def read(self, root: Any) -> Expr:
        # by identity: hashing a deep tree is recursive in SymPy
        done: dict[int, Expr] = {}
        stack = [(root, False)]
        while stack:
            obj, ready = stack.pop()
            if id(obj) in done:
                continue
            call = self.call(obj)
            if call is not None:
                if ready:
                    args = tuple(done[id(arg)] for arg in call.args)
                    done[id(obj)] = make("apply", args, call.value)
                else:
                    stack.append((obj, True))
                    stack.extend((arg, False) for arg in call.args)
            elif ready:
                done[id(obj)] = self.combine(obj, done)
            elif obj.func in self.functions or obj.is_Add or obj.is_Mul or obj.is_Pow:
                stack.append((obj, True))
                stack.extend((arg, False) for arg in obj.args)
            else:
                done[id(obj)] = self.leaf(obj)
        return done[id(root)]

    def call(self, obj: Any) -> _Call | None:
        """Return what an undefined function or a derivative of one is applied to, else None."""
        if not self.undefined or not isinstance(
            obj, self.sp.Function | self.sp.Derivative | self.sp.Subs
        ):
            return None
        inner, given = obj, {}
        if isinstance(inner, self.sp.Subs):
            inner, given = obj.expr, dict(zip(obj.variables, obj.point, strict=True))
        f = inner.expr if isinstance(inner, self.sp.Derivative) else inner
        name = f.func.__name__
        if name not in self.undefined or not isinstance(f, self.sp.Function):
            return None
        orders = [0] * len(f.args)
        for x, n in inner.variable_count if isinstance(inner, self.sp.Derivative) else ():
            if f.args.count(x) != 1 or not n.is_Integer:
                _refuse(obj)
            orders[f.args.index(x)] += int(n)
        args = tuple(given.get(x, x) for x in f.args)
        return _Call(Applied(function(name).name, tuple(orders)), args)

    def combine(self, obj: Any, done: dict[int, Expr]) -> Expr:
        args = [done[id(arg)] for arg in obj.args]
        if obj.is_Add:
            return reduce(add, args, ZERO)
        if obj.is_Mul:
            return self.quotient(obj, done)
        if obj.is_Pow:
            return _power(obj, *args)
        return self.functions[obj.func](*args)

    def quotient(self, obj: Any, done: dict[int, Expr]) -> Expr:
        """Return a product with its negative powers as one denominator."""
        above, below = [], []
        for arg in obj.args:
            if arg.is_Pow and arg.exp.is_Rational and arg.exp.is_negative:
                below.append(power(done[id(arg.base)], -_fraction(arg.exp)))
            else:
                above.append(done[id(arg)])
        return reduce(mul, above, ONE) / reduce(mul, below, ONE)

    def leaf(self, obj: Any) -> Expr:
        sp = self.sp
        if obj.is_Symbol:
            return self.symbol(obj, obj.name, Kind.PARAMETER)
        if obj.is_Rational and obj.is_finite:
            return constant(_fraction(obj))
        if obj.is_Float and obj.is_finite:
            return constant(_decimal(obj, sp))
        if obj is sp.pi:
            return PI
        if obj is sp.E:
            return exp(ONE)
        if self.is_function_of_time(obj):
            return self.symbol(obj, obj.func.__name__, Kind.COORDINATE)
        if isinstance(obj, sp.Derivative) and self.is_function_of_time(obj.expr):
            return self.rate(obj)
        _refuse(obj)

    def is_function_of_time(self, obj: Any) -> bool:
        from sympy.core.function import AppliedUndef

        if not isinstance(obj, AppliedUndef):
            return False
        args: tuple[Any, ...] = obj.args
        if len(args) != 1 or not args[0].is_Symbol or self.kinds.get(args[0].name) is not Kind.TIME:
            time = next(name for name, kind in self.kinds.items() if kind is Kind.TIME)
            raise InvalidExpression(
                f"expected functions of time {time} only, got {obj.func.__name__} of "
                f"{', '.join(type(x).__name__ + ' ' + str(x)[:20] for x in args)}: "
                "name the time symbol with time=, list a function without a definition in "
                "functions=, or write it out"
            )
        return True

    def symbol(self, obj: Any, name: str, default: Kind) -> Expr:
        if obj.is_real is False:
            raise InvalidExpression(
                f"expected real symbols, got {name!r}, which is assumed not real"
            )
        kind = self.kinds.get(name, default)
        try:
            e = symbol(kind, "t" if kind is Kind.TIME else name)
        except InvalidExpression as error:
            raise InvalidExpression(f"{error}: rename it with subs before converting") from None
        if self.origin.setdefault(e, obj) != obj:
            raise InvalidExpression(
                f"expected one SymPy object for each name, got two for {name!r} (different "
                "assumptions, a Dummy, or a symbol beside a function): rename one with subs"
            )
        return e

    def rate(self, obj: Any) -> Expr:
        q = self.leaf(obj.expr)
        s = cast(Symbol, q.symbol)
        if len(obj.variable_count) != 1 or s.kind is not Kind.COORDINATE:
            _refuse(obj)
        t, order = obj.variable_count[0]
        if t not in obj.expr.args or not order.is_Integer:
            _refuse(obj)
        return symbol(Kind.COORDINATE, s.name, int(order))


def _functions(sp: ModuleType) -> dict[Any, Callable[..., Expr]]:
    """Return what each class of SymPy functions becomes."""
    same = {getattr(sp, SYMPY_NAMES.get(f.name, f.name)): f.build for f in FUNCTIONS.values()}
    return same | {
        **{getattr(sp, name): build for name, build in COMPOSED.items()},
        # every symbol here is real
        sp.re: lambda x: x,
        sp.im: lambda x: ZERO,
        sp.conjugate: lambda x: x,
    }


def _power(obj: Any, base: Expr, exponent: Expr) -> Expr:
    if exponent.op == "const":
        return power(base, exponent.value)
    if obj.base.is_positive or not obj.exp.free_symbols:
        return exp(exponent * log(base))
    raise InvalidExpression(
        "expected a rational exponent, got a Pow with a symbol in its exponent: "
        "write exp(y*log(x)) for x**y with x > 0"
    )


def _fraction(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def _decimal(x: Any, sp: ModuleType) -> Fraction:
    """Return the decimal that a Float shows at its precision."""
    _, _, exponent, bits = x._mpf_
    if abs(exponent + bits) > MAX_FLOAT_EXPONENT:
        raise InvalidExpression(
            f"expected a Float below 2^{MAX_FLOAT_EXPONENT}, got one near 2^{exponent + bits}: "
            "use a symbol for it"
        )
    in_double = x._prec == 53 and abs(exponent + bits) < 1000
    return Fraction(repr(float(x)) if in_double else sp.sstr(x, full_prec=True))


def _refuse(obj: Any) -> NoReturn:
    name = type(obj).__name__
    remedy = _REMEDIES.get(name, "rewrite it with sin, cos, sqrt, exp, log, tanh, Abs and powers")
    raise InvalidExpression(f"expected a real SymPy expression, got {name} in it: {remedy}")
