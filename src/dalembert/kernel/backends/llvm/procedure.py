"""LLVM text of functions with variables, branches and loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dalembert.kernel.backends.llvm.lanes import Lanes


class Procedure(Lanes):
    """Write a function of one lane, statement by statement.

    Variables are places in memory; `get` and `put` take the address of a number, `load` and `store`
    an array and the place in it.

    >>> p = Procedure("double @sum_to(double %n)")
    >>> total, i = p.variable(0.0), p.variable(0.0)
    >>> with p.loop() as leave:
    ...     p.leave_if(p.less("%n", p.get(i)), leave)
    ...     p.put(total, p.add(p.get(total), p.get(i)))
    ...     p.put(i, p.add(p.get(i), p.const(1.0)))
    >>> p.give(p.get(total))
    >>> p.text()[0]
    'define internal double @sum_to(double %n) #0 {'
    """

    def __init__(self, head: str, *, is_entry: bool = False) -> None:
        super().__init__(1)
        self._head = f"define {'' if is_entry else 'internal '}{head} #0 {{"
        self._places: list[str] = []
        self._labels = 0
        # whether the block that is being written has no end yet
        self._is_open = True

    def text(self) -> list[str]:
        """Return the lines of the function."""
        return [
            self._head,
            "entry:",
            *self._places,
            "  br label %begin",
            "begin:",
            *self.lines,
            "}",
        ]

    # ---- memory

    def variable(self, initial: float | str) -> str:
        """Return the address of a new variable: a number is its value, an operand too."""
        name = f"%v{len(self._places)}"
        self._places.append(f"  {name} = alloca double, align 8")
        self.put(name, initial if isinstance(initial, str) else self.const(initial))
        return name

    def counter(self, initial: str = "0") -> str:
        """Return the address of a new integer."""
        name = f"%v{len(self._places)}"
        self._places.append(f"  {name} = alloca i64, align 8")
        self.put_integer(name, initial)
        return name

    def get(self, address: str) -> str:
        """Return the number at an address."""
        return self.emit(f"load double, ptr {address}, align 8")

    def put(self, address: str, x: str) -> None:
        """Write a number to an address."""
        self.lines.append(f"  store double {x}, ptr {address}, align 8")

    def get_integer(self, address: str) -> str:
        """Return the integer at an address."""
        return self.emit(f"load i64, ptr {address}, align 8")

    def put_integer(self, address: str, i: str) -> None:
        """Write an integer to an address."""
        self.lines.append(f"  store i64 {i}, ptr {address}, align 8")

    def at(self, array: str, place: int | str) -> str:
        """Return the address of one place of an array of numbers or integers."""
        return self.emit(f"getelementptr double, ptr {array}, i64 {place}")

    def bytes_on(self, address: str, count: str) -> str:
        """Return the address so many bytes further on."""
        return self.emit(f"getelementptr i8, ptr {address}, i64 {count}")

    def load(self, array: str, place: int | str) -> str:
        """Return one number of an array."""
        return self.get(self.at(array, place))

    def store(self, x: str, array: str, place: int | str) -> None:
        """Write one number of an array."""
        self.put(self.at(array, place), x)

    def pointer(self, table: str, place: int) -> str:
        """Return the address that a table has at a place."""
        return self.emit(f"load ptr, ptr {self.at(table, place)}, align 8")

    def call(self, function: str) -> None:
        """Call a function without a value."""
        self.lines.append(f"  call {function}")

    # ---- arithmetic

    def imul(self, i: str, j: str) -> str:
        """Return i·j."""
        return self.emit(f"mul i64 {i}, {j}")

    def iequal(self, i: str, j: str) -> str:
        """Return whether i = j."""
        return self.emit(f"icmp eq i64 {i}, {j}")

    def larger(self, a: str, b: str) -> str:
        """Return the larger of two numbers; b if a is NaN."""
        return self.select(self.less(b, a), a, b)

    def smaller(self, a: str, b: str) -> str:
        """Return the smaller of two numbers; b if a is NaN."""
        return self.select(self.less(a, b), a, b)

    # ---- control

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Write what happens only where a condition holds."""
        then, behind = self._label("then"), self._label("behind")
        self._branch(condition, then, behind)
        self._begin(then)
        yield
        self._jump(behind)
        self._begin(behind)

    @contextmanager
    def loop(self) -> Iterator[str]:
        """Write what is repeated until `leave_if` leaves the loop, whose name it gives."""
        again, leave = self._label("again"), self._label("leave")
        self._jump(again)
        self._begin(again)
        yield leave
        self._jump(again)
        self._begin(leave)

    def leave_if(self, condition: str, loop: str) -> None:
        """Leave a loop where a condition holds."""
        stay = self._label("stay")
        self._branch(condition, loop, stay)
        self._begin(stay)

    def give(self, x: str, kind: str = "double") -> None:
        """Return a value from the function."""
        self._end(f"ret {kind} {x}")

    def done(self) -> None:
        """Return from a function without a value."""
        self._end("ret void")

    def _label(self, hint: str) -> str:
        self._labels += 1
        return f"{hint}{self._labels}"

    def _begin(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self._is_open = True

    def _jump(self, label: str) -> None:
        self._end(f"br label %{label}")

    def _branch(self, condition: str, yes: str, no: str) -> None:
        self._end(f"br i1 {condition}, label %{yes}, label %{no}")

    def _end(self, instruction: str) -> None:
        # what left already has its end
        if self._is_open:
            self.lines.append(f"  {instruction}")
        self._is_open = False
