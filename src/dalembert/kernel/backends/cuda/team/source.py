"""A program as the text of one CUDA kernel in which the warps of a block share its instructions.

A block takes as many samples as its shared memory holds, at most one for each lane of a warp. Each
warp computes its part of every stage for all of them; values that other parts read lie in slots of
shared memory, and after each stage the warps meet. So no value goes to local memory, whose traffic
would bound the time.
"""

from __future__ import annotations

from collections.abc import Iterator

from dalembert.kernel.backends.c.names import comment_text
from dalembert.kernel.backends.c.reals import Real, real_type
from dalembert.kernel.backends.cuda.memory import WARP, Direct
from dalembert.kernel.backends.cuda.statements import (
    constant,
    global_function,
    indent,
    statements,
    value_name,
)
from dalembert.kernel.backends.cuda.team.plan import RUN, Run, TeamPlan, pitch

FEW = 8
"""Numbers that a thread reads before it writes them."""
NUMBERS_OF_A_LINE = 16


def team_source(
    plan: TeamPlan, dtype: str, name: str | None = None, *, samples: int, min_blocks: int = 1
) -> str:
    """Return CUDA C++ of the kernel; its parameters are those of `cuda_source`.

    Args:
        plan: What each warp computes.
        dtype: ``float32`` or ``float64``.
        name: The kernel's, unless it is that of the program.
        samples: Of a block, 1 to 32.
        min_blocks: How many blocks must fit on a multiprocessor, which bounds the registers.

    Raises:
        UnknownName: another dtype.
        InvalidExpression: a constant that the type cannot hold.
    """
    text = _Text(plan, real_type(dtype), samples)
    program = plan.program
    about = f"{comment_text(program.name)}: {program.cost}"
    title = program.name if name is None else name
    before = [*text.tables(), *text.call(), *text.writers(), *text.members()]
    bounds = f"{WARP * plan.warps}, {min_blocks}"
    return global_function(about, text.real, bounds, title, text.parameters(), text.body(), before)


class _Text:
    """The parts of the kernel."""

    def __init__(self, plan: TeamPlan, real: Real, samples: int) -> None:
        self.plan, self.program, self.real = plan, plan.program, real
        self.samples, self.pitch = samples, pitch(samples)
        program = plan.program
        self.inputs = [Direct(f"in{k}", p, False, 0) for k, p in enumerate(program.inputs)]
        self.outputs = [Direct(f"out{k}", p, True, 0) for k, p in enumerate(program.outputs)]

    def parameters(self) -> list[str]:
        found = [p for port in (*self.inputs, *self.outputs) for p in port.parameters()]
        return [*found, "long long samples", "unsigned long long* __restrict__ not_finite"]

    def tables(self) -> Iterator[str]:
        """Yield the slot of each place of the outputs."""
        slots = self.plan.slots
        for port, (_, numbers) in zip(self.outputs, self.program.output_results(), strict=True):
            if not numbers:
                continue
            yield f"__device__ const unsigned short {port.label}_slot[{len(numbers)}] = {{"
            shown = [str(slots[i]) for i in numbers]
            for start in range(0, len(shown), NUMBERS_OF_A_LINE):
                yield f"    {', '.join(shown[start : start + NUMBERS_OF_A_LINE])},"
            yield "};"

    def call(self) -> Iterator[str]:
        """Yield the type of what all warps are told, and how they meet."""
        yield "struct Call {"
        yield "    long long head;"
        yield "    int count;"
        for port in self.outputs:
            yield f"    real* {port.label};"
            yield f"    long long {port.label}_batch, {port.label}_step;"
        yield "};"
        yield "#ifndef meet"
        yield '#define meet() asm volatile("bar.sync 0;" ::: "memory")'
        yield "#endif"

    def writers(self) -> Iterator[str]:
        """Yield the functions that write a run of an output for all samples."""
        for port in (port for port in self.outputs if port.port.size):
            yield (
                f"static __device__ __noinline__ void write_{port.label}"
                "(const real* const tiles, const Call& call, const int run)"
            )
            yield "{"
            yield from indent(self._writer(port))
            yield "}"

    def _writer(self, port: Direct) -> Iterator[str]:
        label, n = port.label, port.port.size
        yield f"const long long batch = call.{label}_batch, step = call.{label}_step;"
        yield f"const int lane = threadIdx.x % {WARP}, count = call.count;"
        yield f"real* const first = call.{label} + call.head * batch;"
        yield "if (step == 1) {"
        yield "    // lanes have neighbouring places"
        yield f"    const int k = {RUN} * run + lane;"
        yield f"    if (k >= {n}) return;"
        yield f"    const real* const from = tiles + {self.pitch} * {label}_slot[k];"
        yield f"    for (int s = 0; s < count; s += {FEW}) {{"
        yield f"        real x[{FEW}];"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {FEW}; ++g) x[g] = s + g < count ? from[s + g] : 0;"
        yield "        #pragma unroll"
        yield f"        for (int g = 0; g < {FEW}; ++g)"
        yield "            if (s + g < count) first[(s + g) * batch + k] = x[g];"
        yield "    }"
        yield "} else if (lane < count) {"
        yield "    // lanes have neighbouring samples"
        yield f"    const int end = {n} < {RUN} * run + {RUN} ? {n} : {RUN} * run + {RUN};"
        yield f"    for (int k = {RUN} * run; k < end; ++k)"
        yield (
            f"        first[lane * batch + k * step] = "
            f"tiles[{self.pitch} * {label}_slot[k] + lane];"
        )
        yield "}"

    def members(self) -> Iterator[str]:
        """Yield for each warp the function with its parts of all stages.

        It returns 0, or not a number if a result is not finite.
        """
        writes = self._dealt_writes()
        for warp in range(self.plan.warps):
            yield (
                f"static __device__ __noinline__ real member{warp}"
                "(const real* const tiles, real* const w, const Call& call)"
            )
            yield "{"
            yield "    real watch = 0;"
            for number, runs in enumerate(writes):
                if number:
                    yield "    meet();"
                for run in runs[warp]:
                    yield f"    write_out{run.output}(tiles, call, {run.number});"
                if number < len(self.plan.stages):
                    yield "    {"
                    yield from indent(indent(self._part(number, warp)))
                    yield "    }"
            yield "    return watch;"
            yield "}"

    def _dealt_writes(self) -> list[list[list[Run]]]:
        """Return for each stage the runs that each warp writes: the next ones in turn."""
        warps, turn = self.plan.warps, 0
        found = []
        for runs in self.plan.writes:
            dealt: list[list[Run]] = [[] for _ in range(warps)]
            for run in runs:
                dealt[turn % warps].append(run)
                turn += 1
            found.append(dealt)
        return found

    def _part(self, stage: int, warp: int) -> Iterator[str]:
        """Yield one part: values of others are read where they are first needed."""
        program, slots = self.program, self.plan.slots
        shown = set(program.results)
        work = self.plan.stages[stage][warp]
        if stage == 0 and warp == 0:
            for i in self.plan.constants:
                yield f"{self._slot(i)} = {constant(program.code[i].value, self.real)};"
        own = set(work)
        needed = dict.fromkeys(a for i in work for a in program.code[i].args if a not in own)
        foreign = {a for a in needed if program.code[a].op not in ("const", "input")}
        leaves = [a for a in needed if a not in foreign]
        known = {a: value_name(program, a) for a in foreign}
        numbers = sorted([*leaves, *work], key=lambda i: (program.code[i].op != "const", i))
        for number, lines, text in statements(program, self.real, self._input, numbers, known):
            for a in program.code[number].args:
                if a in foreign:
                    foreign.remove(a)
                    yield f"const real {known[a]} = {self._slot(a)};"
            yield from lines
            if number not in own:
                continue
            if number in shown:
                yield f"watch += {constant(0, self.real)} * {text};"
            if number in slots:
                yield f"{self._slot(number)} = {text};"

    def _slot(self, i: int) -> str:
        return f"w[{self.pitch * self.plan.slots[i]}]"

    def _input(self, port: int, place: int) -> str:
        start = sum(p.size for p in self.program.inputs[:port])
        return f"w[{self.pitch * (start + place)}]"

    def body(self) -> Iterator[str]:
        """Yield the loop over the samples."""
        n = self.samples
        yield "extern __shared__ real tiles[];"
        yield f"const int lane = threadIdx.x % {WARP}, row = lane % {n};"
        yield "Call call;"
        for port in self.outputs:
            for part in ("", "_batch", "_step"):
                yield f"call.{port.label}{part} = {port.label}{part};"
        yield f"const long long stride = (long long)gridDim.x * {n};"
        yield f"const long long start = (long long)blockIdx.x * {n};"
        yield "for (long long head = start; head < samples; head += stride) {"
        yield from indent(self._samples())
        yield "}"

    def _samples(self) -> Iterator[str]:
        n = self.samples
        yield "// samples behind the end repeat the last one"
        yield f"const int count = samples - head < {n} ? (int)(samples - head) : {n};"
        yield "call.head = head;"
        yield "call.count = count;"
        start = 0
        for port in self.inputs:
            if port.port.size:
                yield from self._load(port, start)
            start += port.port.size
        yield "meet();"
        yield "real watch = 0;"
        yield f"switch (threadIdx.x / {WARP}) {{"
        for warp in range(self.plan.warps):
            yield f"case {warp}: watch = member{warp}(tiles, tiles + row, call); break;"
        yield "}"
        yield "if (!(watch == 0)) *not_finite = head + (row < count ? row : count - 1) + 1;"
        yield "meet();"

    def _load(self, port: Direct, start: int) -> Iterator[str]:
        label, n, size = port.label, self.samples, port.port.size
        yield f"for (int j = threadIdx.x; j < {n * size}; j += {WARP * self.plan.warps}) {{"
        yield f"    const bool is_row = {label}_step == 1;"
        yield f"    const int s = is_row ? j / {size} : j % {n};"
        yield f"    const int k = is_row ? j % {size} : j / {n};"
        yield "    const long long at = head + (s < count ? s : count - 1);"
        yield (
            f"    tiles[{self.pitch} * ({start} + k) + s] = "
            f"{label}[at * {label}_batch + k * {label}_step];"
        )
        yield "}"
