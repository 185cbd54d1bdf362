"""The most multiply-adds that one core can do, measured: what a kernel can reach at best."""

from __future__ import annotations

import ctypes
from time import perf_counter_ns

# independent sums: enough to hide a latency of five cycles on two units
CHAINS = 12
ITERATIONS = 200_000
ROUNDS = 15
NATIVE_BITS = {"avx512f": 512, "avx": 256}


def vector_bits(features: dict[str, bool]) -> int:
    """Return the width of the widest vectors of a processor with these features."""
    return next((bits for name, bits in NATIVE_BITS.items() if features.get(name)), 128)


def fma_loop(lanes: int) -> str:
    """Return LLVM IR of a loop of fused multiply-adds: x ← x a + b in every chain."""
    v = f"<{lanes} x double>"
    chains = range(CHAINS)
    start = [f"  %x{k} = phi {v} [ zeroinitializer, %entry ], [ %y{k}, %loop ]" for k in chains]
    step = [f"  %y{k} = call {v} @llvm.fma.v{lanes}f64({v} %x{k}, {v} %a, {v} %b)" for k in chains]
    total, ends = [], "%y0"
    for k in chains[1:]:
        total.append(f"  %s{k} = fadd {v} {ends}, %y{k}")
        ends = f"%s{k}"
    return "\n".join(
        [
            f"declare {v} @llvm.fma.v{lanes}f64({v}, {v}, {v})",
            "define double @loop(i64 %n, double %scale) {",
            "entry:",
            f"  %one = insertelement {v} poison, double %scale, i32 0",
            f"  %a = shufflevector {v} %one, {v} poison, <{lanes} x i32> zeroinitializer",
            f"  %b = fadd {v} %a, %a",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *start,
            *step,
            "  %next = add i64 %i, 1",
            "  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %loop, label %end",
            "end:",
            *total,
            f"  %result = extractelement {v} {ends}, i32 0",
            "  ret double %result",
            "}",
        ]
    )


def fma_peak() -> float:
    """Return flops per nanosecond of one core, a multiply-add counted as two."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    bits = vector_bits(dict(features))
    # LLVM would split 512-bit vectors on processors where they slow the clock
    text = features.flatten() + (",-prefer-256-bit" if bits == 512 else "")
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=text, opt=3
    )
    module = llvm.parse_assembly(fma_loop(bits // 64))
    module.verify()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    prototype = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double)
    loop = prototype(engine.get_function_address("loop"))
    best = float("inf")
    for _ in range(ROUNDS):
        start = perf_counter_ns()
        loop(ITERATIONS, 0.5)
        best = min(best, perf_counter_ns() - start)
    return 2 * (bits // 64) * CHAINS * ITERATIONS / best
