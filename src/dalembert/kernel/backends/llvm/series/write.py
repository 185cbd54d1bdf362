"""LLVM text of the Taylor coefficients of the solution of ẋ = f(x), order after order.

Every value of the program of f is a power series in time. Its coefficient of order k follows from
lower ones by a recurrence (`series_rules`), and every recurrence is made of sums

    D(a, b) = Σ aⱼ b₍ₖ₋ⱼ₎,  j = 1 … k-1

and of terms in the coefficients of order 0 and k. The sums need lower orders only, so those of
`LANES` products stand side by side in memory and are taken at once; each product has places of its
own for the coefficients of its two factors.

The table has 16 bytes for each input, for the output (orders × states) and for the workspace.
"""

from __future__ import annotations

from dalembert.kernel.backends.llvm.host import Host
from dalembert.kernel.backends.llvm.series.memory import LANES, ROW, SeriesMemory
from dalembert.kernel.backends.llvm.series.rules import write_value
from dalembert.kernel.backends.llvm.series.steps import StepsText
from dalembert.kernel.backends.llvm.write.kernel_text import ATTRIBUTES, ENTRY_NAME, read_arrays
from dalembert.kernel.program.program import Program

VECTOR = f"<{LANES} x double>"
FMA = f"@llvm.fma.v{LANES}f64"

# a row holds one order of the factors of LANES products
DECLARE_FMA = f"declare {VECTOR} {FMA}({VECTOR}, {VECTOR}, {VECTOR})"
SUMS = f"""\
define internal {VECTOR} @sums(ptr %a, ptr %b, i64 %k) #1 {{
entry:
  %n = sub i64 %k, 1
  %any = icmp sgt i64 %n, 0
  %last = mul i64 %n, {ROW}
  %b_last = getelementptr i8, ptr %b, i64 %last
  br i1 %any, label %loop, label %done
loop:
  %j = phi i64 [{ROW}, %entry], [%j_next, %loop]
  %s = phi {VECTOR} [zeroinitializer, %entry], [%s_next, %loop]
  %back = sub i64 {ROW}, %j
  %pa = getelementptr i8, ptr %a, i64 %j
  %pb = getelementptr i8, ptr %b_last, i64 %back
  %x = load {VECTOR}, ptr %pa, align {ROW}
  %y = load {VECTOR}, ptr %pb, align {ROW}
  %s_next = call {VECTOR} {FMA}({VECTOR} %x, {VECTOR} %y, {VECTOR} %s)
  %j_next = add i64 %j, {ROW}
  %more = icmp sle i64 %j_next, %last
  br i1 %more, label %loop, label %done
done:
  %sum = phi {VECTOR} [zeroinitializer, %entry], [%s_next, %loop]
  ret {VECTOR} %sum
}}
attributes #1 = {{ noinline nounwind "min-legal-vector-width"="512" }}"""


def series_text(
    program: Program, order: int, host: Host, *, is_timed: bool = False
) -> tuple[str, int]:
    """Return the module, and the bytes of its workspace.

    The first input of the program is the state, whose rate is its only output; other inputs are
    constant in time. With ``is_timed`` the last entry of the state is the time.

    Raises:
        InvalidExpression: an operation has no power series.
    """
    memory = SeriesMemory(program, order, host)
    lanes, states = memory.lanes, range(program.inputs[0].size)

    # the recurrences of one order; the rates wait in memory for the next
    for i, (op, _, value) in enumerate(program.code):
        if op == "input" and value[0] == 0:
            memory.define(("value", i), memory.read_output("%k", value[1]))
    for i in range(len(program.code)):
        write_value(memory, i)
    for place, i in enumerate(program.results):
        memory.write_number(place, memory.now.get(("value", i), lanes.const(0.0)))
    body = memory.take_lines()

    # order 0
    with memory.before_loop():
        for place in states:
            memory.write_output("0", place, memory.values.port(0)[place])
        for place, i in enumerate(program.results):
            memory.write_number(place, memory.first[i])

    # x of order k is the rate of order k-1, over k
    for place in states:
        memory.write_output("%k", place, lanes.div(memory.read_number(place), "%kd"))
    advance = memory.take_lines()
    steps = StepsText(len(states), order, len(program.inputs), is_timed=is_timed)
    return "\n".join(
        [
            *dict.fromkeys([*memory.declarations(), DECLARE_FMA, *steps.declarations]),
            SUMS,
            f"define i64 @{ENTRY_NAME}(ptr %table, i64 %i, i64 %end) #0 {{",
            "entry:",
            *read_arrays(len(program.inputs) + 2),
            f"  %out = getelementptr i8, ptr %base{len(program.inputs)}, i64 0",
            f"  %work = getelementptr i8, ptr %base{len(program.inputs) + 1}, i64 0",
            f"  %numbers = getelementptr i8, ptr %work, i64 {memory.sums_size}",
            *memory.head,
            "  br label %order",
            "order:",
            "  %k = phi i64 [1, %entry], [%k_next, %body]",
            "  %kd = sitofp i64 %k to double",
            *advance,
            f"  %last = icmp eq i64 %k, {order}",
            "  br i1 %last, label %done, label %body",
            "body:",
            "  %k_inverse = fdiv double 1.0, %kd",
            f"  %row = mul i64 %k, {ROW}",
            *body,
            "  %k_next = add i64 %k, 1",
            "  br label %order",
            "done:",
            "  ret i64 0",
            "}",
            *steps.lines,
            ATTRIBUTES,
            "",
        ]
    ), memory.size
