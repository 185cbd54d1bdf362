"""LLVM text of the search: all sign changes of a quantity along polynomials, none overlooked.

A step is looked at in cells, from its start to its end. In a cell, bounds of the quantity and of
its rate tell that it has no zero there, or that it rises or falls all along, with at most one zero.
Other cells are divided, until they are as short as rounding.

The text does not depend on the quantity, whose program of bounds is called by its address.
"""

from __future__ import annotations

from typing import NamedTuple

from dalembert.kernel.backends.llvm.procedure import Procedure
from dalembert.kernel.backends.llvm.write.kernel_text import ATTRIBUTES
from dalembert.kernel.backends.llvm.zeros import table as at
from dalembert.kernel.call.zeros import Reason

SEARCH_NAME = "search"

ROUNDING = 2.0**-46
"""A value below this part of its rounding bound is zero."""

NOISE = 1e-13
"""A value below this part of the way of the quantity since the last step is zero."""

TIMES = 2.0
"""Last places of the time within which a zero is not resolved."""

SHORTEST = 16.0
"""Last places of the time in a cell that is not divided any further."""

FIRST_CELLS = 8
DIVISION = 4
MAX_STEPS = 100

SOME_CELLS, MANY_CELLS = 1000.0, 100_000.0
"""Cells that a step may have at its start, and more in its course; then none is divided."""


def search_text() -> str:
    """Return the module."""
    parts = [_bend(), _bound(), _root(), _state(), _search()]
    declarations = {line: None for part in parts for line in part.declarations()}
    lines = [line for part in parts for line in part.text()]
    return "\n".join([*declarations, *lines, ATTRIBUTES, ""])


class _Bounds(NamedTuple):
    """The outputs of the program."""

    value: str
    radius: str
    rate: str
    rate_radius: str
    rounding: str


def _bend() -> Procedure:
    """Write the bounds Σ k(k-1) |cₖ| hᵏ⁻² and Σ k(k-1)(k-2) |cₖ| hᵏ⁻³ of derivatives in a step."""
    p = Procedure("void @bend(ptr %table, ptr %c, double %h)")
    columns, bends = p.pointer("%table", at.COLUMNS), p.pointer("%table", at.BENDS)
    i = p.counter()
    with p.loop() as leave:
        here = p.get_integer(i)
        p.leave_if(p.iequal(here, _word(p, at.NUM_COLUMNS)), leave)
        column = p.at("%c", p.get_integer(p.at(columns, here)))
        second, third, k = p.variable(0.0), p.variable(0.0), p.counter(_word(p, at.DEGREE))
        with p.loop() as lowest:
            order = p.get_integer(k)
            p.leave_if(p.iless(order, "2"), lowest)
            n = p.to_double(order)
            c = p.abs(p.get(_order(p, column, order)))
            twice = p.mul(p.mul(n, p.sub(n, p.const(1.0))), c)
            p.put(second, p.fma(p.get(second), "%h", twice))
            # zero for k = 2, which comes last and must not multiply
            with p.when(p.iless("2", order)):
                thrice = p.mul(p.sub(n, p.const(2.0)), twice)
                p.put(third, p.fma(p.get(third), "%h", thrice))
            p.put_integer(k, p.isub(order, "1"))
        double = p.shl(here, 1)
        p.store(p.get(second), bends, double)
        p.store(p.get(third), bends, p.iadd(double, "1"))
        p.put_integer(i, p.iadd(here, "1"))
    p.done()
    return p


def _bound() -> Procedure:
    """Write the bounds in the cell of radius r around the time ``tau`` of a step.

    A cell without radius is a point. It returns whether a bound is not finite.
    """
    p = Procedure("i64 @bound(ptr %table, ptr %c, double %t0, double %tau, double %r)")
    arrays = [p.pointer("%table", k) for k in (at.X, at.RADII, at.RATES, at.RATE_RADII)]
    x, radii, rates, rate_radii = arrays
    columns, bends = p.pointer("%table", at.COLUMNS), p.pointer("%table", at.BENDS)
    half = p.mul(p.const(0.5), "%r")
    i = p.counter()
    with p.loop() as leave:
        here = p.get_integer(i)
        p.leave_if(p.iequal(here, _word(p, at.NUM_COLUMNS)), leave)
        value, first, second = _horner(p, p.at("%c", p.get_integer(p.at(columns, here))))
        bend = p.at(bends, p.shl(here, 1))
        # mean value theorem: |x(τ ± r) - x(τ)| ≤ r (|ẋ(τ)| + r/2 max |ẍ|)
        spread = p.fma(half, p.load(bend, 0), p.abs(first))
        rate_spread = p.fma(half, p.load(bend, 1), p.abs(second))
        p.store(value, x, here)
        p.store(p.mul("%r", spread), radii, here)
        p.store(first, rates, here)
        p.store(p.mul("%r", rate_spread), rate_radii, here)
        p.put_integer(i, p.iadd(here, "1"))
    # the time itself
    last = _word(p, at.NUM_COLUMNS)
    p.store(p.add("%t0", "%tau"), x, last)
    p.store("%r", radii, last)
    p.store(p.const(1.0), rates, last)
    p.store(p.const(0.0), rate_radii, last)
    program = p.pointer("%table", at.PROGRAM)
    p.give(p.emit(f"call i64 {program}(ptr %table, i64 0, i64 1)"), "i64")
    return p


def _horner(p: Procedure, column: str) -> tuple[str, str, str]:
    """Write one entry of the state at ``tau`` and two derivatives."""
    value, first, second = p.variable(0.0), p.variable(0.0), p.variable(0.0)
    k = p.counter(_word(p, at.DEGREE))
    with p.loop() as leave:
        order = p.get_integer(k)
        p.leave_if(p.iless(order, "0"), leave)
        p.put(second, p.fma(p.get(second), "%tau", p.get(first)))
        p.put(first, p.fma(p.get(first), "%tau", p.get(value)))
        p.put(value, p.fma(p.get(value), "%tau", p.get(_order(p, column, order))))
        p.put_integer(k, p.isub(order, "1"))
    return p.get(value), p.get(first), p.mul(p.const(2.0), p.get(second))


def _root() -> Procedure:
    """Write where between a and b the quantity leaves its side: Newton's method in brackets."""
    p = Procedure(
        "double @root(ptr %table, ptr %c, double %t0, double %way, double %first, double %last, "
        "double %side, double %ulp)"
    )
    a, b = p.variable("%first"), p.variable("%last")
    s = p.variable(_middle(p, "%first", "%last"))
    k = p.counter()
    with p.loop() as leave:
        p.leave_if(p.iequal(p.get_integer(k), str(MAX_STEPS)), leave)
        here = p.get(s)
        _call_bound(p, "%c", "%t0", p.mul("%way", here), p.const(0.0))
        found = _outputs(p)
        is_behind = p.less(p.mul("%side", found.value), p.const(0.0))
        p.put(a, p.select(is_behind, p.get(a), here))
        p.put(b, p.select(is_behind, here, p.get(b)))
        new = p.sub(here, p.div(found.value, p.mul(found.rate, "%way")))
        low, high = p.get(a), p.get(b)
        is_between = p.both(p.less_equal(low, new), p.less_equal(new, high))
        new = p.select(is_between, new, _middle(p, low, high))
        p.put(s, new)
        p.leave_if(p.less_equal(p.abs(p.sub(new, here)), "%ulp"), leave)
        p.put_integer(k, p.iadd(p.get_integer(k), "1"))
    p.give(p.get(s))
    return p


def _state() -> Procedure:
    """Write the state at the time ``tau`` of a step."""
    p = Procedure("void @state(ptr %table, ptr %c, double %tau, ptr %x)")
    i = p.counter()
    with p.loop() as leave:
        here = p.get_integer(i)
        p.leave_if(p.iequal(here, _word(p, at.NUM_ENTRIES)), leave)
        value, _, _ = _horner(p, p.at("%c", here))
        p.store(value, "%x", here)
        p.put_integer(i, p.iadd(here, "1"))
    p.done()
    return p


def _search() -> Procedure:
    """Write the search through some steps; it returns how many sign changes there are."""
    p = Procedure(f"i64 @{SEARCH_NAME}(ptr %table, i64 %first, i64 %last)", is_entry=True)
    count, j = p.counter(), p.counter("%first")
    _put_word(p, at.REASON, str(int(Reason.DONE)))
    with p.loop() as leave:
        step = p.get_integer(j)
        p.leave_if(p.iequal(step, "%last"), leave)
        _put_word(p, at.STEP, step)
        _Step(p, step, count).write()
        p.put_integer(j, p.iadd(step, "1"))
    _put_word(p, at.STEP, "%last")
    p.give(p.get_integer(count), "i64")
    return p


class _Step:
    """Writes the search through one step."""

    def __init__(self, p: Procedure, step: str, count: str) -> None:
        self.p, self.step, self.count = p, step, count
        numbers, times = p.pointer("%table", at.NUMBERS), p.pointer("%table", at.TIMES)
        self.t0, self.t1 = p.load(times, step), p.load(times, p.iadd(step, "1"))
        h = p.sub(self.t1, self.t0)
        self.length, self.way = p.abs(h), p.copysign(p.const(1.0), h)
        # the last place of the time
        size = p.add(p.abs(self.t0), self.length)
        self.ulp = p.sub(p.double(p.iadd(p.bits(size), "1")), size)
        self.c = p.bytes_on(p.pointer("%table", at.SERIES), p.imul(step, _word(p, at.STEP_BYTES)))
        p.call(f"void @bend(ptr %table, ptr {self.c}, double {self.length})")
        addresses = [p.at(numbers, k) for k in range(at.NUM_NUMBERS)]
        self.side, self.last_time, self.last_value, self.last_rate = addresses[:4]
        self.arrival_noise, self.stop, self.noise, self.place, self.known = addresses[4:]

    def write(self) -> None:
        """Write all of it."""
        p = self.p
        with p.when(p.iequal(_word(p, at.IS_INSIDE), "0")):
            self._begin()
        _put_word(p, at.IS_INSIDE, "0")
        self._cells()
        # a change at the very end counts if the rate leads through zero
        found = self._point(self.length)
        leads = p.mul(p.mul(p.get(self.side), found.rate), self.way)
        is_zero = p.less_equal(p.abs(found.value), self._least(found))
        with p.when(p.both(is_zero, p.less(leads, p.const(0.0)))):
            self._record(self.t1)

    def _begin(self) -> None:
        """Write the noise of the step, and on which side it begins."""
        p = self.p
        flag = self._bound(p.const(0.0), p.const(0.0))
        with p.when(p.emit(f"icmp ne i64 {flag}, 0")):
            self._end(Reason.NOT_FINITE)
        found = _outputs(p)
        # a part of the way since the last look
        reach = p.mul(p.get(self.last_rate), p.sub(self.t0, p.get(self.last_time)))
        far = p.larger(p.abs(p.get(self.last_value)), p.larger(p.abs(reach), p.abs(found.value)))
        p.put(self.noise, p.fma(p.const(NOISE), far, p.get(self.arrival_noise)))
        is_off = p.less(self._least(found), p.abs(found.value))
        sign = p.copysign(p.const(1.0), found.value)
        p.put(self.side, p.select(is_off, sign, p.get(self.side)))
        reading = (found.value, found.rate, p.get(self.noise), p.get(self.side))
        row = p.at(p.pointer("%table", at.READINGS), p.shl(self.step, 2))
        for place, x in enumerate(reading):
            p.store(x, row, place)
        with p.when(p.equal(p.get(self.side), p.const(0.0))):
            self._end(Reason.NO_SIDE)
        p.put(self.arrival_noise, p.const(0.0))
        p.put(self.last_time, self.t0)
        p.put(self.last_value, found.value)
        p.put(self.last_rate, found.rate)
        p.put(self.place, p.const(0.0))
        p.put(self.known, p.const(0.0))

    def _cells(self) -> None:
        """Write the loop over cells."""
        p = self.p
        widest = p.mul(p.const(1 / FIRST_CELLS), self.length)
        shortest = p.mul(p.const(SHORTEST), self.ulp)
        width, cells = p.variable(widest), p.variable(0.0)
        with p.loop() as leave:
            start = p.get(self.place)
            p.leave_if(p.less_equal(self.length, start), leave)
            end = p.add(start, p.get(width))
            end = p.select(p.less(p.sub(self.length, end), shortest), self.length, end)
            long = p.sub(end, start)
            middle = p.fma(p.const(0.5), long, start)
            self._bound(middle, p.mul(p.const(0.5), long))
            found = _outputs(p)
            least, size = self._least(found), p.abs(found.value)
            is_off = p.less(p.add(found.radius, least), size)
            # zero all along, or close enough
            vanishes = p.less_equal(p.add(size, found.radius), least)
            # the rate has one sign
            is_steady = p.less(found.rate_radius, p.abs(found.rate))
            allowed = p.fma(p.const(MANY_CELLS), p.div(start, self.length), p.const(SOME_CELLS))
            is_last = p.either(p.less_equal(long, shortest), p.less(allowed, p.get(cells)))
            p.put(cells, p.add(p.get(cells), p.const(1.0)))
            p.put(width, p.mul(p.const(1 / DIVISION), long))
            is_known = p.either(is_off, vanishes)
            with p.when(p.either(is_known, p.either(is_steady, is_last))):
                p.put(self.place, end)
                p.put(width, p.smaller(p.mul(p.const(2.0), long), widest))
                with p.when(is_off):
                    self._pass_by(found.value, middle, end)
                with p.when(p.emit(f"xor i1 {is_known}, true")):
                    there = self._point(end)
                    is_seen = p.less(self._least(there), p.abs(there.value))
                    with p.when(is_seen):
                        self._pass_by(there.value, end, end)

    def _pass_by(self, value: str, place: str, end: str) -> None:
        """Write what a value that is not zero tells of the way since the side was known."""
        p = self.p
        side, known = p.get(self.side), p.get(self.known)
        p.put(self.known, end)
        with p.when(p.less(p.mul(side, value), p.const(0.0))):
            operands = (self.t0, self.way, known, place, side, self.ulp)
            given = ", ".join(f"double {x}" for x in operands)
            s = p.emit(f"call double @root(ptr %table, ptr {self.c}, {given})")
            t = p.fma(self.way, s, self.t0)
            self._record(p.select(p.equal(s, self.length), self.t1, t))

    def _record(self, t: str) -> None:
        """Write down a sign change, and end the search if it is one to stop at."""
        p = self.p
        number = p.get_integer(self.count)
        row_size = p.iadd(_word(p, at.NUM_ENTRIES), "3")
        row = p.at(p.pointer("%table", at.FOUND), p.imul(number, row_size))
        side = p.neg(p.get(self.side))
        p.put(self.side, side)
        for place, x in enumerate((t, side, p.to_double(self.step))):
            p.store(x, row, place)
        tau = p.sub(t, self.t0)
        x = p.at(row, 3)
        p.call(f"void @state(ptr %table, ptr {self.c}, double {tau}, ptr {x})")
        more = p.iadd(number, "1")
        p.put_integer(self.count, more)
        stop = p.get(self.stop)
        is_other = p.equal(stop, p.neg(side))
        goes_on = p.either(is_other, p.equal(stop, p.const(at.NEVER)))
        with p.when(p.emit(f"xor i1 {goes_on}, true")):
            self._end(Reason.STOPPED)
        with p.when(p.iequal(more, _word(p, at.ROOM))):
            self._end(Reason.FULL)

    def _end(self, reason: Reason) -> None:
        """End the search; the next one goes on inside this step where it was begun."""
        p = self.p
        is_inside = reason in (Reason.STOPPED, Reason.FULL)
        _put_word(p, at.REASON, str(int(reason)))
        _put_word(p, at.IS_INSIDE, str(int(is_inside)))
        p.give(p.get_integer(self.count), "i64")

    def _least(self, found: _Bounds) -> str:
        """Write what cannot be told from zero."""
        p = self.p
        of_time = p.mul(p.mul(p.const(TIMES), self.ulp), p.abs(found.rate))
        return p.add(p.fma(p.const(ROUNDING), found.rounding, p.get(self.noise)), of_time)

    def _point(self, place: str) -> _Bounds:
        self._bound(place, self.p.const(0.0))
        return _outputs(self.p)

    def _bound(self, place: str, radius: str) -> str:
        return _call_bound(self.p, self.c, self.t0, self.p.mul(self.way, place), radius)


def _call_bound(p: Procedure, c: str, t0: str, tau: str, radius: str) -> str:
    operands = ", ".join(f"double {x}" for x in (t0, tau, radius))
    return p.emit(f"call i64 @bound(ptr %table, ptr {c}, {operands})")


def _outputs(p: Procedure) -> _Bounds:
    out = p.pointer("%table", at.BOUNDS)
    return _Bounds(*(p.load(out, k) for k in range(len(_Bounds._fields))))


def _middle(p: Procedure, a: str, b: str) -> str:
    return p.mul(p.const(0.5), p.add(a, b))


def _order(p: Procedure, column: str, order: str) -> str:
    """Write the address of the coefficient of one order."""
    return p.bytes_on(column, p.imul(order, _word(p, at.ORDER_BYTES)))


def _word(p: Procedure, place: int) -> str:
    return p.get_integer(p.at("%table", place))


def _put_word(p: Procedure, place: int, i: str) -> None:
    p.put_integer(p.at("%table", place), i)
