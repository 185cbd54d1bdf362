"""LLVM text that takes step after step along Taylor series, without Python in between.

The step control of Jorba & Zou (2005): the last coefficients |xₘ| hᵐ of every entry of the state
are to be ε of its motion, which is the largest |xₖ| hᵏ of the first ones over the step before.

    h = safety · min over m of (max over entries of |xₘ| / motion)^(-1/m)

The table of `series.write` goes on with control numbers, times and states. Control numbers are the
time, where to end, the longest step, the safety factor, the powers h⁰ … h³ of the step before, then
for each entry of the state what rounding took of it: sums are compensated.
"""

from __future__ import annotations

from collections.abc import Callable

from dalembert.kernel.backends.llvm.elementary.exp import exp
from dalembert.kernel.backends.llvm.elementary.log import log
from dalembert.kernel.backends.llvm.elementary.pairs import exact_sum_of_any
from dalembert.kernel.backends.llvm.lanes import Lanes
from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME
from dalembert.kernel.call.series import SeriesKernel

STEPS_NAME = "steps"

FEW = SeriesKernel.FEW

TIME, END, LONGEST, SAFETY, POWERS = range(5)
CARRIES = POWERS + FEW
"""Places of the control numbers."""

NO_POWERS = 1e80
"""Powers of longer steps are no floats."""

MAX_EXPONENT = 700.0
"""Of a step in seconds: e to more than this is no float."""


class StepsText:
    """Writes the functions that take steps for a state of ``size`` entries.

    The last entry is the time itself with ``is_timed``: it moves with the clock, and has no say in
    the step. ``lines`` are the functions, ``declarations`` what they call; ``num_inputs`` are the
    inputs of the series, the state first.

    The function `STEPS_NAME` takes the table, zero and the most steps; it returns how many it took.
    It takes fewer at the end, and where the next one needs a closer look: an entry that does not
    move, a series that is not finite, a step that time does not resolve.
    """

    def __init__(self, size: int, order: int, num_inputs: int, *, is_timed: bool) -> None:
        self.size, self.order, self.num_inputs = size, order, num_inputs
        self.is_timed, self.counted = is_timed, size - is_timed
        self.lines: list[str] = []
        self.declarations: dict[str, None] = {}
        self._function(
            "double @log_of(double %x)", lambda lanes: _returned(lanes, log(lanes, "%x"))
        )
        self._function(
            "double @exp_of(double %x)", lambda lanes: _returned(lanes, exp(lanes, "%x"))
        )
        self._function("double @step_length(ptr %c, ptr %control)", self._length)
        self._function("double @increment(ptr %c, double %h)", self._increment)
        self._function(f"i64 @{STEPS_NAME}(ptr %table, i64 %zero, i64 %most)", self._steps)

    def _function(self, head: str, write: Callable[[Lanes], None]) -> None:
        lanes = Lanes(1)
        write(lanes)
        kind = "" if STEPS_NAME in head else "internal "
        self.lines += [f"define {kind}{head} #0 {{", "entry:", *lanes.lines, "}"]
        self.declarations |= dict.fromkeys(lanes.declarations())

    def _length(self, lanes: Lanes) -> None:
        """Write the step that the last coefficients allow; -1 where it needs a closer look."""
        first = SeriesKernel.window(self.order).start
        window = range(self.order - first + 1)
        zero = lanes.const(0.0)
        powers = [_load(lanes, "%control", POWERS + k) for k in range(FEW)]
        lanes.lines.append(f"  %worst = alloca double, i64 {len(window) + 1}, align 8")
        for place in range(len(window) + 1):
            _store(lanes, zero, "%worst", place)
        # of every entry: its motion, and the last coefficients beside it
        lanes.lines += [
            "  br label %entries",
            "entries:",
            "  %i = phi i64 [0, %entry], [%i_next, %entries]",
            "  %column = getelementptr double, ptr %c, i64 %i",
        ]
        motion = zero
        for k in range(min(FEW, first)):
            part = lanes.mul(lanes.abs(_load(lanes, "%column", k * self.size)), powers[k])
            motion = lanes.select(lanes.less(motion, part), part, motion)
        total = _load(lanes, "%worst", len(window))
        for place in window:
            size = lanes.abs(_load(lanes, "%column", (first + place) * self.size))
            # infinite for an entry that does not move yet, unless it never will
            ratio = lanes.select(lanes.equal(size, zero), zero, lanes.div(size, motion))
            total = lanes.add(total, ratio)
            worst = _load(lanes, "%worst", place)
            larger = lanes.select(lanes.less(worst, ratio), ratio, worst)
            _store(lanes, larger, "%worst", place)
        _store(lanes, total, "%worst", len(window))
        lanes.lines += [
            "  %i_next = add i64 %i, 1",
            f"  %more = icmp slt i64 %i_next, {self.counted}",
            "  br i1 %more, label %entries, label %known",
            "known:",
        ]
        # the sum shows what comparisons do not see
        finite = lanes.less(_load(lanes, "%worst", len(window)), lanes.const(float("inf")))
        lanes.lines += [f"  br i1 {finite}, label %choose, label %fail", "choose:"]
        # the smallest logarithm of a step; coefficients that vanish allow any
        exponent = lanes.const(MAX_EXPONENT)
        for place in window:
            l = lanes.emit(f"call double @log_of(double {_load(lanes, '%worst', place)})")
            one = lanes.mul(lanes.const(-1.0 / (first + place)), l)
            exponent = lanes.select(lanes.less(one, exponent), one, exponent)
        h = lanes.emit(f"call double @exp_of(double {exponent})")
        h = lanes.mul(_load(lanes, "%control", SAFETY), h)
        longest = _load(lanes, "%control", LONGEST)
        h = lanes.select(lanes.less(h, longest), h, longest)
        lanes.lines += [f"  ret double {h}", "fail:", f"  ret double {lanes.const(-1.0)}"]

    def _increment(self, lanes: Lanes) -> None:
        """Write Σ cₖ hᵏ without the first term, by Horner's rule, for one entry of the state."""
        total = _load(lanes, "%c", self.order * self.size)
        for k in reversed(range(1, self.order)):
            total = lanes.fma(total, "%h", _load(lanes, "%c", k * self.size))
        _returned(lanes, lanes.mul(total, "%h"))

    def _steps(self, lanes: Lanes) -> None:
        """Write the loop over steps."""
        block = 8 * (self.order + 1) * self.size
        places = {"x": 0, "series": self.num_inputs}
        places |= {
            name: self.num_inputs + 2 + i for i, name in enumerate(("control", "times", "states"))
        }
        for name, place in places.items():
            lanes.lines += [
                f"  %{name}_at = getelementptr i8, ptr %table, i64 {16 * place}",
                f"  %{name} = load ptr, ptr %{name}_at, align 8",
            ]
        lanes.lines += [
            "  br label %step",
            "step:",
            "  %s = phi i64 [0, %entry], [%s_next, %stepped]",
            # the series of this step
            f"  %offset = mul i64 %s, {block}",
            "  %c = getelementptr i8, ptr %series, i64 %offset",
            "  store ptr %c, ptr %series_at, align 8",
            f"  %done = call i64 @{ENTRY_NAME}(ptr %table, i64 0, i64 1)",
            "  %length = call double @step_length(ptr %c, ptr %control)",
        ]
        usable = lanes.less(lanes.const(0.0), "%length")
        lanes.lines += [f"  br i1 {usable}, label %remember, label %stop", "remember:"]
        # its powers, unless they are no floats
        some = lanes.less("%length", lanes.const(NO_POWERS))
        power = lanes.const(1.0)
        for k in range(FEW):
            kept = lanes.select(some, power, _load(lanes, "%control", POWERS + k))
            _store(lanes, kept, "%control", POWERS + k)
            power = lanes.mul(power, "%length")
        # as long as the floats of time say, and not beyond the end
        t, end = _load(lanes, "%control", TIME), _load(lanes, "%control", END)
        left = lanes.sub(end, t)
        is_last = lanes.less_equal(lanes.abs(left), "%length")
        on = lanes.add(t, lanes.copysign("%length", left))
        reached = lanes.select(is_last, end, on)
        h = lanes.sub(reached, t)
        stuck = lanes.equal(reached, t)
        lanes.lines += [f"  br i1 {stuck}, label %stop, label %move", "move:"]
        _store(lanes, reached, "%control", TIME)
        if self.is_timed:
            _store(lanes, reached, "%x", self.counted)
        lanes.lines += [
            "  %s_next = add i64 %s, 1",
            "  %time_at = getelementptr double, ptr %times, i64 %s_next",
            f"  store double {reached}, ptr %time_at, align 8",
            f"  %row = mul i64 %s_next, {8 * self.counted}",
            "  %state = getelementptr i8, ptr %states, i64 %row",
            "  br label %entries",
            "entries:",
            "  %i = phi i64 [0, %move], [%i_next, %entries]",
            "  %column = getelementptr double, ptr %c, i64 %i",
            "  %x_i = getelementptr double, ptr %x, i64 %i",
            f"  %first_carry = getelementptr double, ptr %control, i64 {CARRIES}",
            "  %carry = getelementptr double, ptr %first_carry, i64 %i",
            "  %new_at = getelementptr double, ptr %state, i64 %i",
            f"  %change = call double @increment(ptr %column, double {h})",
        ]
        # a compensated sum
        x = _load(lanes, "%x_i", 0)
        change = lanes.add("%change", _load(lanes, "%carry", 0))
        new, carry = exact_sum_of_any(lanes, x, change)
        _store(lanes, carry, "%carry", 0)
        _store(lanes, new, "%x_i", 0)
        _store(lanes, new, "%new_at", 0)
        lanes.lines += [
            "  %i_next = add i64 %i, 1",
            f"  %more = icmp slt i64 %i_next, {self.counted}",
            "  br i1 %more, label %entries, label %stepped",
            "stepped:",
            "  %room = icmp slt i64 %s_next, %most",
            f"  %ended = xor i1 {is_last}, true",
            "  %again = and i1 %room, %ended",
            "  br i1 %again, label %step, label %full",
            "full:",
            "  ret i64 %s_next",
            "stop:",
            "  ret i64 %s",
        ]


def _returned(lanes: Lanes, x: str) -> None:
    lanes.lines.append(f"  ret double {x}")


def _load(lanes: Lanes, base: str, place: int) -> str:
    at = lanes.emit(f"getelementptr double, ptr {base}, i64 {place}")
    return lanes.emit(f"load double, ptr {at}, align 8")


def _store(lanes: Lanes, x: str, base: str, place: int) -> None:
    at = lanes.emit(f"getelementptr double, ptr {base}, i64 {place}")
    lanes.lines.append(f"  store double {x}, ptr {at}, align 8")
