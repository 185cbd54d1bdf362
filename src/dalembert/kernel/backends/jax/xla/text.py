"""LLVM text that handlers share: fields of structs, errors, the query for metadata, buffers."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.kernel.backends.jax.xla.layout import (
    EXECUTE,
    INVALID_ARGUMENT,
    OFFSETS,
    QUERY_METADATA,
    SIZES,
    VERSION,
)
from dalembert.kernel.program.program import Port


class Text:
    """LLVM text in the making; results of instructions get names that are not used twice."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: list[str] = []
        self._count = 0

    def __str__(self) -> str:
        return "\n".join([*self.constants, *self.lines, ""])

    def add(self, *lines: str) -> None:
        """Append lines as they are: heads of functions, labels, jumps."""
        self.lines += lines

    def emit(self, instruction: str) -> str:
        """Append an instruction, and return the name of its result."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def at(self, base: str, offset: int) -> str:
        """Return the address of a field."""
        return self.emit(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, kind: str, base: str, offset: int) -> str:
        """Return the value of a field."""
        return self.emit(f"load {kind}, ptr {self.at(base, offset)}, align 4")

    def store(self, kind: str, value: str, base: str, offset: int) -> None:
        """Write a field."""
        self.add(f"  store {kind} {value}, ptr {self.at(base, offset)}, align 4")

    def message(self, text: str) -> str:
        """Return the address of a constant text that ends with zero."""
        data = text.encode() + b"\0"
        shown = "".join(f"\\{byte:02x}" for byte in data)
        name = f"@message{len(self.constants)}"
        self.constants.append(f'{name} = private constant [{len(data)} x i8] c"{shown}"')
        return name

    def arguments(self, struct: str, at: str) -> None:
        """Begin the arguments of one of XLA's functions: their size, and no extension."""
        self.store("i64", str(SIZES[struct]), at, 0)
        self.store("ptr", "null", at, 8)


def common(text: Text, dtype: int) -> None:
    """Append ``@fail``, which makes an error, and ``@samples``, which looks at a buffer."""
    text.add("define private ptr @fail(ptr %frame, ptr %message, i32 %code) nounwind {")
    args = text.emit("alloca [32 x i8], align 8")
    text.arguments("Error_Create_Args", args)
    text.store("ptr", "%message", args, OFFSETS["Error_Create_Args.message"])
    text.store("i32", "%code", args, OFFSETS["Error_Create_Args.errc"])
    api = text.load("ptr", "%frame", OFFSETS["CallFrame.api"])
    create = text.load("ptr", api, OFFSETS["Api.XLA_FFI_Error_Create"])
    text.add(f"  ret ptr {text.emit(f'call ptr {create}(ptr {args})')}", "}")
    # the product of the axes before the last `inner`; -1 if these or the dtype are not the port's
    text.add("define private i64 @samples(ptr %buffer, i64 %inner, i64 %size) nounwind {", "entry:")
    kind = text.load("i32", "%buffer", OFFSETS["Buffer.dtype"])
    rank = text.load("i64", "%buffer", OFFSETS["Buffer.rank"])
    dims = text.load("ptr", "%buffer", OFFSETS["Buffer.dims"])
    outer = text.emit(f"sub i64 {rank}, %inner")
    is_kind = text.emit(f"icmp eq i32 {kind}, {dtype}")
    is_deep = text.emit(f"icmp sge i64 {outer}, 0")
    good = text.emit(f"and i1 {is_kind}, {is_deep}")
    text.add(
        f"  br i1 {good}, label %loop, label %bad",
        "loop:",
        "  %k = phi i64 [0, %entry], [%next, %body]",
        "  %count = phi i64 [1, %entry], [%more, %body]",
        "  %rest = phi i64 [1, %entry], [%larger, %body]",
        f"  %goes_on = icmp slt i64 %k, {rank}",
        "  br i1 %goes_on, label %body, label %end",
        "body:",
        f"  %place = getelementptr i64, ptr {dims}, i64 %k",
        "  %length = load i64, ptr %place, align 8",
        f"  %is_outer = icmp slt i64 %k, {outer}",
        "  %outer_length = select i1 %is_outer, i64 %length, i64 1",
        "  %inner_length = select i1 %is_outer, i64 1, i64 %length",
        "  %more = mul i64 %count, %outer_length",
        "  %larger = mul i64 %rest, %inner_length",
        "  %next = add i64 %k, 1",
        "  br label %loop",
        "end:",
        "  %fits = icmp eq i64 %rest, %size",
        "  %answer = select i1 %fits, i64 %count, i64 -1",
        "  ret i64 %answer",
        "bad:",
        "  ret i64 -1",
        "}",
    )


class Buffers:
    """The arrays of a call: addresses and numbers of samples, inputs first."""

    def __init__(self, data: list[str], counts: list[str], samples: str) -> None:
        self.data = data
        self.counts = counts
        self.samples = samples


def begin(text: Text, inputs: Sequence[Port], outputs: Sequence[Port], traits: int = 0) -> Buffers:
    """Append what every handler does first; it goes on at the end, with the buffers in hand.

    The query for metadata is answered, other stages than that of execution are left, and the
    numbers of buffers compared. Labels that the handler has to define: ``%done`` and ``%invalid``.
    """
    extension = text.load("ptr", "%frame", OFFSETS["CallFrame.extension_start"])
    is_plain = text.emit(f"icmp eq ptr {extension}, null")
    text.add(f"  br i1 {is_plain}, label %stages, label %extended", "extended:")
    kind = text.load("i32", extension, OFFSETS["Extension_Base.type"])
    is_query = text.emit(f"icmp eq i32 {kind}, {QUERY_METADATA}")
    text.add(f"  br i1 {is_query}, label %query, label %stages", "query:")
    metadata = text.load("ptr", extension, OFFSETS["Metadata_Extension.metadata"])
    for part, number in zip(("major", "minor"), VERSION, strict=True):
        place = OFFSETS[f"Metadata.api_version.{part}_version"]
        text.store("i32", str(number), metadata, place)
    text.store("i32", str(traits), metadata, OFFSETS["Metadata.traits"])
    text.add("  br label %done", "stages:")
    stage = text.load("i32", "%frame", OFFSETS["CallFrame.stage"])
    executes = text.emit(f"icmp eq i32 {stage}, {EXECUTE}")
    text.add(f"  br i1 {executes}, label %counts, label %done", "counts:")
    given = text.load("i64", "%frame", OFFSETS["CallFrame.args.size"])
    wanted = text.load("i64", "%frame", OFFSETS["CallFrame.rets.size"])
    fit = [
        text.emit(f"icmp eq i64 {given}, {len(inputs)}"),
        text.emit(f"icmp eq i64 {wanted}, {len(outputs)}"),
    ]
    both = text.emit(f"and i1 {fit[0]}, {fit[1]}")
    text.add(f"  br i1 {both}, label %buffers, label %invalid", "buffers:")
    arrays = text.load("ptr", "%frame", OFFSETS["CallFrame.args.args"])
    results = text.load("ptr", "%frame", OFFSETS["CallFrame.rets.rets"])
    data, counts = [], []
    for base, ports in ((arrays, inputs), (results, outputs)):
        for k, port in enumerate(ports):
            buffer = text.load("ptr", base, 8 * k)
            data.append(text.load("ptr", buffer, OFFSETS["Buffer.data"]))
            call = f"call i64 @samples(ptr {buffer}, i64 {len(port.shape)}, i64 {port.size})"
            counts.append(text.emit(call))
    return Buffers(data, counts, counts[len(inputs)])


def fail_at(text: Text, label: str, message: str, code: int = INVALID_ARGUMENT) -> None:
    """Append a label at which the handler returns an error."""
    text.add(f"{label}:")
    error = text.emit(f"call ptr @fail(ptr %frame, ptr {message}, i32 {code})")
    text.add(f"  ret ptr {error}")
