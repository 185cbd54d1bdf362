"""Text of LLVM instructions on SIMD lanes of double or single precision.

No instruction carries a fast-math flag: LLVM computes exactly the roundings that are written, so
every platform and every width give the same bits. ``fma`` is one instruction where the machine has
it; elsewhere functions take its place (`fused`), which are slower and give the same bits.
"""

from __future__ import annotations

import struct

from dalembert.kernel.backends.llvm.reals import DOUBLE, Real


class Lanes:
    """Write instructions on values of type ``<width x double>`` (``double`` for width 1).

    With ``real=SINGLE`` they are ``<width x float>``.

    Every method appends to ``lines`` and returns the operand that names its result: an SSA name, or
    a literal for constants. Masks are what comparisons return and ``select`` takes.

    >>> lanes = Lanes(2)
    >>> lanes.add("%x", lanes.const(1.0))
    '%t1'
    >>> lanes.lines
    ['  %t1 = fadd <2 x double> %x, splat (double 0x3FF0000000000000)']
    """

    def __init__(self, width: int, name_prefix: str = "t", real: Real = DOUBLE) -> None:
        self.width, self.real = width, real
        vector = width > 1
        self.type = f"<{width} x {real.type}>" if vector else real.type
        self.integer_type = f"<{width} x i{real.bits}>" if vector else f"i{real.bits}"
        self.bool_type = f"<{width} x i1>" if vector else "i1"
        self.bytes = real.size * width
        self.lines: list[str] = []
        self.suffix = f"v{width}{real.suffix}" if vector else real.suffix
        self._prefix = name_prefix
        self._count = 0
        self._numbers: dict[bytes, str] = {}
        self._integers: dict[int, str] = {}
        # intrinsic -> number of operands
        self._used: dict[str, int] = {}
        self._declared: dict[str, None] = {}
        self._wider: Lanes | None = None

    def emit(self, instruction: str) -> str:
        """Append an instruction, given as the text after ``=``, and return its result."""
        self._count = n = self._count + 1
        name = f"%{self._prefix}{n}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def declarations(self) -> list[str]:
        """Return the declarations of the intrinsics used so far."""
        return [
            f"declare {self.type} @llvm.{name}.{self.suffix}({', '.join([self.type] * arity)})"
            for name, arity in sorted(self._used.items())
        ] + [*self._declared, *(self._wider.declarations() if self._wider else ())]

    def declare(self, text: str) -> None:
        """Remember the declaration of a function that only the caller knows."""
        self._declared[text] = None

    # double precision

    @property
    def doubles(self) -> Lanes:
        """The same lanes in double precision, for steps where single precision is not enough."""
        if self._wider is None:
            self._wider = Lanes(self.width, f"{self._prefix}d")
        # what is written next goes where these lanes write
        self._wider.lines = self.lines
        return self._wider

    def widened(self, a: str) -> str:
        """Return a number of single precision as one of `doubles`."""
        return self.doubles.emit(f"fpext {self.type} {a} to {self.doubles.type}")

    def narrowed(self, a: str) -> str:
        """Return a number of `doubles` rounded to single precision."""
        return self.emit(f"fptrunc {self.doubles.type} {a} to {self.type}")

    def low_bits(self, i: str) -> str:
        """Return the low half of an integer of `doubles`."""
        return self.emit(f"trunc {self.doubles.integer_type} {i} to {self.integer_type}")

    # literals

    def const(self, value: float) -> str:
        """Return a number in all lanes; bit by bit, so that ±0, infinities and NaN work too."""
        # LLVM writes numbers of single precision as the doubles that they are
        raw = struct.pack(">d", self.real.rounded(value))
        literal = self._numbers.get(raw)
        if literal is None:
            literal = self._numbers[raw] = self._splat(self.real.type, f"0x{raw.hex().upper()}")
        return literal

    def integer(self, value: int) -> str:
        """Return an integer in all lanes; two's complement, so `sign` is the highest bit."""
        literal = self._integers.get(value)
        if literal is None:
            bits = self.real.bits
            signed = value - (1 << bits) if value >= 1 << (bits - 1) else value
            literal = self._integers[value] = self._splat(f"i{bits}", str(signed))
        return literal

    def _splat(self, scalar: str, text: str) -> str:
        return text if self.width == 1 else f"splat ({scalar} {text})"

    # arithmetic, rounded to nearest

    def add(self, a: str, b: str) -> str:
        """Return a + b."""
        return self.emit(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """Return a - b."""
        return self.emit(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """Return a·b."""
        return self.emit(f"fmul {self.type} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """Return a/b."""
        return self.emit(f"fdiv {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        """Return -a."""
        return self.emit(f"fneg {self.type} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """Return a·b + c, rounded once."""
        # the most frequent instruction: written without the loop of `_call`
        self._used["fma"] = 3
        t = self.type
        return self.emit(f"call {t} @llvm.fma.{self.suffix}({t} {a}, {t} {b}, {t} {c})")

    def sqrt(self, a: str) -> str:
        """Return √a, correctly rounded."""
        return self._call("sqrt", a)

    def abs(self, a: str) -> str:
        """Return |a|."""
        return self._call("fabs", a)

    def copysign(self, magnitude: str, sign: str) -> str:
        """Return |magnitude| with the sign bit of ``sign``."""
        return self._call("copysign", magnitude, sign)

    def rint(self, a: str) -> str:
        """Return the integer next to ``a``, ties to even."""
        return self._call("rint", a)

    def _call(self, name: str, *args: str) -> str:
        self._used[name] = len(args)
        t = self.type
        operands = ", ".join([f"{t} {a}" for a in args])
        return self.emit(f"call {t} @llvm.{name}.{self.suffix}({operands})")

    # integers: the bits of a number, modulo 2⁶⁴ or 2³²

    @property
    def sign(self) -> str:
        """The bit of the sign."""
        return self.integer(1 << (self.real.bits - 1))

    def bits(self, a: str) -> str:
        """Return the bits of a number as an integer."""
        return self.emit(f"bitcast {self.type} {a} to {self.integer_type}")

    def double(self, i: str) -> str:
        """Return the double that has these bits."""
        return self.emit(f"bitcast {self.integer_type} {i} to {self.type}")

    def to_double(self, i: str) -> str:
        """Return a signed integer as the nearest double."""
        return self.emit(f"sitofp {self.integer_type} {i} to {self.type}")

    def to_integer(self, a: str) -> str:
        """Return a double without its fraction as a signed integer; undefined beyond ±2⁶³."""
        return self.emit(f"fptosi {self.type} {a} to {self.integer_type}")

    def iadd(self, i: str, j: str) -> str:
        """Return i + j."""
        return self.emit(f"add {self.integer_type} {i}, {j}")

    def isub(self, i: str, j: str) -> str:
        """Return i - j."""
        return self.emit(f"sub {self.integer_type} {i}, {j}")

    def iand(self, i: str, j: str) -> str:
        """Return the bits in both."""
        return self.emit(f"and {self.integer_type} {i}, {j}")

    def ior(self, i: str, j: str) -> str:
        """Return the bits in one or the other."""
        return self.emit(f"or {self.integer_type} {i}, {j}")

    def ixor(self, i: str, j: str) -> str:
        """Return the bits in just one."""
        return self.emit(f"xor {self.integer_type} {i}, {j}")

    def shl(self, i: str, places: int) -> str:
        """Return i·2ᵖˡᵃᶜᵉˢ."""
        return self.emit(f"shl {self.integer_type} {i}, {self.integer(places)}")

    def lshr(self, i: str, places: int) -> str:
        """Return the bits moved down, zeros in front."""
        return self.emit(f"lshr {self.integer_type} {i}, {self.integer(places)}")

    def ashr(self, i: str, places: int) -> str:
        """Return the bits moved down, copies of the sign in front."""
        return self.emit(f"ashr {self.integer_type} {i}, {self.integer(places)}")

    # masks

    def less(self, a: str, b: str) -> str:
        """Return where a < b; a NaN is not less than anything."""
        return self.emit(f"fcmp olt {self.type} {a}, {b}")

    def less_equal(self, a: str, b: str) -> str:
        """Return where a <= b; a NaN never is."""
        return self.emit(f"fcmp ole {self.type} {a}, {b}")

    def equal(self, a: str, b: str) -> str:
        """Return where a == b; a NaN never is, and -0 equals 0."""
        return self.emit(f"fcmp oeq {self.type} {a}, {b}")

    def unordered(self, a: str, b: str) -> str:
        """Return where a or b is NaN."""
        return self.emit(f"fcmp uno {self.type} {a}, {b}")

    def iless(self, i: str, j: str) -> str:
        """Return where i < j, as signed integers."""
        return self.emit(f"icmp slt {self.integer_type} {i}, {j}")

    def both(self, m: str, n: str) -> str:
        """Return where both masks hold."""
        return self.emit(f"and {self.bool_type} {m}, {n}")

    def either(self, m: str, n: str) -> str:
        """Return where one mask or the other holds."""
        return self.emit(f"or {self.bool_type} {m}, {n}")

    def select(self, mask: str, a: str, b: str) -> str:
        """Return a where the mask holds, b elsewhere."""
        t = self.type
        return self.emit(f"select {self.bool_type} {mask}, {t} {a}, {t} {b}")
