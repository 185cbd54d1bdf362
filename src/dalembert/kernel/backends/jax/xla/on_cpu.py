"""The handler of a kernel on the processor.

It builds the kernel's table of addresses from XLA's buffers and calls its machine code. A large
batch is cut into portions that the calling thread and tasks on XLA's own pool take in turn; the
caller never waits for a task that has not begun, so a busy pool, or one of a single thread, cannot
block it. No Python runs, and the GIL is not taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.kernel.backends.jax.xla.layout import DTYPES, OFFSETS, RESOURCE_EXHAUSTED
from dalembert.kernel.backends.jax.xla.text import Text, begin, common, fail_at
from dalembert.kernel.program.program import Program

if TYPE_CHECKING:
    from dalembert.kernel.backends.llvm.host import Host
    from dalembert.kernel.backends.llvm.jit import Code

HANDLER_NAME = "handler"
YIELD = {True: "SwitchToThread", False: "sched_yield"}
"""The function of the system that lets other threads run, by whether it is Windows."""
PORTION = 100_000
"""Operations in a portion of a batch: some 10 µs."""

# a job in memory: the next portion, portions done, flags, holders, portions, samples, table
NEXT, DONE, FLAGS, HOLDERS, PORTIONS, SAMPLES, TABLE = range(0, 56, 8)


def handler_code(program: Program, dtype: str, host: Host) -> tuple[Code, object]:
    """Return the machine code of a handler, and the kernel that must live as long."""
    from dalembert.kernel.backends.llvm.build import build
    from dalembert.kernel.backends.llvm.jit import Code, machine_code
    from dalembert.kernel.backends.llvm.write.kernel_text import ENTRY_NAME

    kernel = build(program, dtype=dtype, host=host)
    # the functions keep their code
    codes = [entry.run.code for entry in (kernel.single, kernel.wide)]  # type: ignore[attr-defined]
    single, wide = (code.address(ENTRY_NAME) for code in codes)
    text = cpu_handler(program, single, wide, kernel.wide.width, dtype, YIELD[host.is_windows])
    return Code(machine_code(text, host), host), kernel


def cpu_handler(
    program: Program, single: int, wide: int, width: int, dtype: str, give_way: str
) -> str:
    """Return a module with the function ``handler``.

    Args:
        program: What the kernel computes.
        single: Address of the machine code for one sample at a time.
        wide: Address of that for ``width`` samples side by side.
        width: How many.
        dtype: "float64" or "float32".
        give_way: The system's function that lets other threads run.
    """
    inputs, outputs = program.inputs, program.outputs
    ports, size = (*inputs, *outputs), 8 if dtype == "float64" else 4
    cells = 2 * len(ports)
    portion = max(1, PORTION // max(program.cost.flops, 1) // width) * width
    text = Text()
    shapes = ", ".join(f"{port.name} {port.shape}" for port in ports)
    wrong = text.message(
        f"{program.name}: expected {dtype} arrays {shapes} behind equal or no batch axes"
    )
    poor = text.message(f"{program.name}: no memory to work in")
    text.add(
        "declare ptr @malloc(i64)",
        "declare void @free(ptr)",
        f"declare i32 @{give_way}()",
        "declare i64 @llvm.smin.i64(i64, i64)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    )
    common(text, DTYPES[dtype])
    _forget(text)
    _work(text, wide, portion)
    text.add(f"define ptr @{HANDLER_NAME}(ptr %frame) nounwind {{", "entry:")
    text.add(f"  %table = alloca [{cells} x i64], align 8")
    buffers = begin(text, inputs, outputs)
    fits = text.emit(f"icmp sge i64 {buffers.samples}, 0")
    for k, (port, data, count) in enumerate(zip(ports, buffers.data, buffers.counts, strict=True)):
        is_full = text.emit(f"icmp eq i64 {count}, {buffers.samples}")
        good = is_full
        if k < len(inputs):
            # an input of one row is shared by all samples
            is_one = text.emit(f"icmp eq i64 {count}, 1")
            good = text.emit(f"or i1 {is_full}, {is_one}")
        fits = text.emit(f"and i1 {fits}, {good}")
        stride = text.emit(f"select i1 {is_full}, i64 {size * port.size}, i64 0")
        text.store("ptr", data, "%table", 16 * k)
        text.store("i64", stride, "%table", 16 * k + 8)
    text.add(f"  br i1 {fits}, label %sized, label %invalid", "sized:")
    some = text.emit(f"icmp sgt i64 {buffers.samples}, 0")
    text.add(f"  br i1 {some}, label %filled, label %done", "filled:")
    is_wide = text.emit(f"icmp sge i64 {buffers.samples}, {width}")
    text.add(f"  br i1 {is_wide}, label %many, label %few", "few:")
    text.add(f"  %flag_few = {_kernel(single)}(ptr %table, i64 0, i64 {buffers.samples})")
    text.add("  br label %finish", "many:")
    portions = text.emit(f"sdiv i64 {buffers.samples}, {portion}")
    is_large = text.emit(f"icmp sgt i64 {portions}, 1")
    text.add(f"  br i1 {is_large}, label %large, label %alone", "alone:")
    text.add(f"  %flag_alone = {_kernel(wide)}(ptr %table, i64 0, i64 {buffers.samples})")
    text.add("  br label %finish")
    _share(text, portions, buffers.samples, cells, give_way)
    text.add(
        "finish:",
        "  %flag = phi i64 [%flag_few, %few], [%flag_alone, %alone], [%flag_large, %collect]",
        "  %no_memory = icmp slt i64 %flag, 0",
        "  br i1 %no_memory, label %poor, label %done",
        "done:",
        "  ret ptr null",
    )
    fail_at(text, "invalid", wrong)
    fail_at(text, "poor", poor, RESOURCE_EXHAUSTED)
    text.add("}")
    return str(text)


def _kernel(address: int) -> str:
    return f"call i64 inttoptr (i64 {address} to ptr)"


def _forget(text: Text) -> None:
    """Append ``@forget``, which gives back an error that XLA's functions returned."""
    text.add("define private void @forget(ptr %api, ptr %error) nounwind {")
    args = text.emit("alloca [24 x i8], align 8")
    text.arguments("Error_Destroy_Args", args)
    text.store("ptr", "%error", args, OFFSETS["Error_Destroy_Args.error"])
    destroy = text.load("ptr", "%api", OFFSETS["Api.XLA_FFI_Error_Destroy"])
    text.add(f"  call void {destroy}(ptr {args})", "  ret void", "}")


def _work(text: Text, wide: int, portion: int) -> None:
    """Append ``@work``, which takes portions until none is left, ``@drop`` and ``@task``."""
    text.add("define private void @work(ptr %job) nounwind {", "entry:")
    portions = text.load("i64", "%job", PORTIONS)
    samples = text.load("i64", "%job", SAMPLES)
    table, done, flags = (text.at("%job", field) for field in (TABLE, DONE, FLAGS))
    last = text.emit(f"sub i64 {portions}, 1")
    text.add(
        "  br label %next",
        "next:",
        "  %k = atomicrmw add ptr %job, i64 1 acq_rel",
        f"  %some = icmp slt i64 %k, {portions}",
        "  br i1 %some, label %run, label %out",
        "run:",
        f"  %begin = mul i64 %k, {portion}",
        f"  %after = add i64 %begin, {portion}",
        f"  %is_last = icmp eq i64 %k, {last}",
        f"  %end = select i1 %is_last, i64 {samples}, i64 %after",
        f"  %flag = {_kernel(wide)}(ptr {table}, i64 %begin, i64 %end)",
        # flags of portions are 0, 1, or -1 for no memory: all bits of it stay
        f"  %flags_before = atomicrmw or ptr {flags}, i64 %flag acq_rel",
        f"  %done_before = atomicrmw add ptr {done}, i64 1 acq_rel",
        "  br label %next",
        "out:",
        "  ret void",
        "}",
        # the last who holds a job frees it
        "define private void @drop(ptr %job) nounwind {",
    )
    holders = text.at("%job", HOLDERS)
    text.add(
        f"  %before = atomicrmw sub ptr {holders}, i64 1 acq_rel",
        "  %was_last = icmp eq i64 %before, 1",
        "  br i1 %was_last, label %free, label %out",
        "free:",
        "  call void @free(ptr %job)",
        "  ret void",
        "out:",
        "  ret void",
        "}",
        "define private void @task(ptr %job) nounwind {",
        "  call void @work(ptr %job)",
        "  call void @drop(ptr %job)",
        "  ret void",
        "}",
    )


def _share(text: Text, portions: str, samples: str, cells: int, give_way: str) -> None:
    """Append the label ``%large``: work with tasks on XLA's pool, or ``%alone`` without one."""
    text.add("large:")
    api = text.load("ptr", "%frame", OFFSETS["CallFrame.api"])
    context = text.load("ptr", "%frame", OFFSETS["CallFrame.ctx"])
    number = text.emit("alloca i64, align 8")
    asked = text.emit("alloca [40 x i8], align 8")
    text.add(f"  store i64 1, ptr {number}, align 8")
    text.arguments("ThreadPool_NumThreads_Args", asked)
    text.store("ptr", context, asked, OFFSETS["ThreadPool_NumThreads_Args.ctx"])
    text.store("ptr", number, asked, OFFSETS["ThreadPool_NumThreads_Args.num_threads"])
    ask = text.load("ptr", api, OFFSETS["Api.XLA_FFI_ThreadPool_NumThreads"])
    problem = text.emit(f"call ptr {ask}(ptr {asked})")
    has_pool = text.emit(f"icmp eq ptr {problem}, null")
    text.add(
        f"  br i1 {has_pool}, label %pool, label %no_pool",
        "no_pool:",
        f"  call void @forget(ptr {api}, ptr {problem})",
        "  br label %alone",
        "pool:",
    )
    threads = text.emit(f"load i64, ptr {number}, align 8")
    others = text.emit(f"sub i64 {threads}, 1")
    spare = text.emit(f"sub i64 {portions}, 1")
    helpers = text.emit(f"call i64 @llvm.smin.i64(i64 {others}, i64 {spare})")
    has_helpers = text.emit(f"icmp sgt i64 {helpers}, 0")
    text.add(f"  br i1 {has_helpers}, label %hire, label %alone", "hire:")
    text.add(f"  %job = call ptr @malloc(i64 {TABLE + 8 * cells})")
    none = text.emit("icmp eq ptr %job, null")
    text.add(f"  br i1 {none}, label %alone, label %fill", "fill:")
    for field in (NEXT, DONE, FLAGS):
        text.store("i64", "0", "%job", field)
    holders = text.emit(f"add i64 {helpers}, 1")
    text.store("i64", holders, "%job", HOLDERS)
    text.store("i64", portions, "%job", PORTIONS)
    text.store("i64", samples, "%job", SAMPLES)
    copy = text.at("%job", TABLE)
    text.add(f"  call void @llvm.memcpy.p0.p0.i64(ptr {copy}, ptr %table, i64 {8 * cells}, i1 0)")
    schedule = text.load("ptr", api, OFFSETS["Api.XLA_FFI_ThreadPool_Schedule"])
    text.arguments("ThreadPool_Schedule_Args", asked)
    text.store("ptr", context, asked, OFFSETS["ThreadPool_Schedule_Args.ctx"])
    text.store("ptr", "@task", asked, OFFSETS["ThreadPool_Schedule_Args.task"])
    text.store("ptr", "%job", asked, OFFSETS["ThreadPool_Schedule_Args.data"])
    text.add(
        "  br label %hired",
        "hired:",
        "  %called = phi i64 [0, %fill], [%called_more, %accepted], [%called_more, %refused]",
        f"  %all_called = icmp sge i64 %called, {helpers}",
        "  %called_more = add i64 %called, 1",
        "  br i1 %all_called, label %start, label %call",
        "call:",
        f"  %refusal = call ptr {schedule}(ptr {asked})",
        "  %is_accepted = icmp eq ptr %refusal, null",
        "  br i1 %is_accepted, label %accepted, label %refused",
        "accepted:",
        "  br label %hired",
        "refused:",
        f"  call void @forget(ptr {api}, ptr %refusal)",
        "  call void @drop(ptr %job)",
        "  br label %hired",
        "start:",
        "  call void @work(ptr %job)",
    )
    done = text.at("%job", DONE)
    text.add(
        "  br label %wait",
        # only for portions that others have begun
        "wait:",
        f"  %finished = load atomic i64, ptr {done} acquire, align 8",
        f"  %all_done = icmp sge i64 %finished, {portions}",
        "  br i1 %all_done, label %collect, label %give_way",
        # they may want this very core
        "give_way:",
        f"  %gave_way = call i32 @{give_way}()",
        "  br label %wait",
        "collect:",
    )
    flag = text.load("i64", "%job", FLAGS)
    text.add(
        f"  %flag_large = add i64 {flag}, 0",
        "  call void @drop(ptr %job)",
        "  br label %finish",
    )
