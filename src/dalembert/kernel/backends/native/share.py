"""Threads of the operating system for one call, started by compiled code.

A pool of Python's threads takes them through the interpreter one after the other: about a
millisecond for sixteen, in which they would have computed half of a large batch. Here threads take
chunks of samples from a counter until none is left, so that a slow one delays the others by a chunk
at most.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from dalembert.kernel.backends.llvm.cached_code import cached_code
from dalembert.kernel.backends.llvm.host import Host, this_host

STACK_BYTES = 2 << 20
"""Memory for the stack of a thread: little enough that the system keeps it for the next one."""

# a job: run, table, count, chunk, threads, next sample, least and largest flag, attributes;
# a seat: a job, and the number k of a thread, which starts 2 k + 1 and 2 k + 2
TEXT = f"""
%job = type {{ ptr, ptr, i64, i64, i64, i64, i64, i64, [256 x i8] }}
%seat = type {{ ptr, i64 }}
declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)

define internal ptr @work(ptr %seat) {{
entry:
  %seats = alloca [2 x %seat], align 8
  %threads = alloca [2 x i64], align 8
  %job = load ptr, ptr %seat
  %number.at = getelementptr %seat, ptr %seat, i32 0, i32 1
  %number = load i64, ptr %number.at
  %others.at = getelementptr %job, ptr %job, i32 0, i32 4
  %others = load i64, ptr %others.at
  %attributes = getelementptr %job, ptr %job, i32 0, i32 8
  %doubled = shl i64 %number, 1
  br label %start
start:
  %k = phi i64 [0, %entry], [%k.next, %started]
  %k.next = add i64 %k, 1
  %child = add i64 %doubled, %k.next
  %known = icmp slt i64 %child, %others
  %two = icmp slt i64 %k, 2
  %more = and i1 %known, %two
  br i1 %more, label %create, label %begin
create:
  %child.seat = getelementptr [2 x %seat], ptr %seats, i64 0, i64 %k
  store ptr %job, ptr %child.seat
  %child.number = getelementptr %seat, ptr %child.seat, i32 0, i32 1
  store i64 %child, ptr %child.number
  %thread.at = getelementptr [2 x i64], ptr %threads, i64 0, i64 %k
  %status = call i32 @pthread_create(ptr %thread.at, ptr %attributes, ptr @work, ptr %child.seat)
  %good = icmp eq i32 %status, 0
  ; the threads that there are do the work of those that were refused
  br i1 %good, label %started, label %begin
started:
  br label %start
begin:
  %run = load ptr, ptr %job
  %table.at = getelementptr %job, ptr %job, i32 0, i32 1
  %table = load ptr, ptr %table.at
  %count.at = getelementptr %job, ptr %job, i32 0, i32 2
  %count = load i64, ptr %count.at
  %chunk.at = getelementptr %job, ptr %job, i32 0, i32 3
  %chunk = load i64, ptr %chunk.at
  %next.at = getelementptr %job, ptr %job, i32 0, i32 5
  %least.at = getelementptr %job, ptr %job, i32 0, i32 6
  %largest.at = getelementptr %job, ptr %job, i32 0, i32 7
  br label %take
take:
  %start.at = atomicrmw add ptr %next.at, i64 %chunk seq_cst
  %rest = sub i64 %count, %start.at
  ; a kernel wants a whole chunk: what is left behind the last belongs to it
  %some = icmp sge i64 %rest, %chunk
  br i1 %some, label %compute, label %join
compute:
  %twice = shl i64 %chunk, 1
  %last = icmp slt i64 %rest, %twice
  %size = select i1 %last, i64 %rest, i64 %chunk
  %stop = add i64 %start.at, %size
  %flag = call i64 %run(ptr %table, i64 %start.at, i64 %stop)
  %least = atomicrmw min ptr %least.at, i64 %flag seq_cst
  %largest = atomicrmw max ptr %largest.at, i64 %flag seq_cst
  br label %take
join:
  %j = phi i64 [0, %take], [%j.next, %joined]
  %left = icmp slt i64 %j, %k
  br i1 %left, label %joined, label %done
joined:
  %one.at = getelementptr [2 x i64], ptr %threads, i64 0, i64 %j
  %one = load i64, ptr %one.at
  %gone = call i32 @pthread_join(i64 %one, ptr null)
  %j.next = add i64 %j, 1
  br label %join
done:
  ret ptr null
}}

define i64 @share(ptr %run, ptr %table, i64 %count, i64 %chunk, i64 %threads) {{
  %job = alloca %job, align 16
  %first = insertvalue %job zeroinitializer, ptr %run, 0
  %second = insertvalue %job %first, ptr %table, 1
  %third = insertvalue %job %second, i64 %count, 2
  %fourth = insertvalue %job %third, i64 %chunk, 3
  %whole = insertvalue %job %fourth, i64 %threads, 4
  store %job %whole, ptr %job, align 16
  ; 256 bytes: more than those of any system
  %attributes = getelementptr %job, ptr %job, i32 0, i32 8
  %made = call i32 @pthread_attr_init(ptr %attributes)
  %sized = call i32 @pthread_attr_setstacksize(ptr %attributes, i64 {STACK_BYTES})
  %seat = alloca %seat, align 8
  store ptr %job, ptr %seat
  %number.at = getelementptr %seat, ptr %seat, i32 0, i32 1
  store i64 0, ptr %number.at
  %ignored = call ptr @work(ptr %seat)
  %freed = call i32 @pthread_attr_destroy(ptr %attributes)
  %least.at = getelementptr %job, ptr %job, i32 0, i32 6
  %least = load i64, ptr %least.at
  %largest.at = getelementptr %job, ptr %job, i32 0, i32 7
  %largest = load i64, ptr %largest.at
  %bad = icmp slt i64 %least, 0
  %flag = select i1 %bad, i64 %least, i64 %largest
  ret i64 %flag
}}
"""

Share = Callable[[int, object, int, int, int], int]


@cache
def share() -> Share:
    """Return the function of (address of a kernel, its table, samples, chunk, threads).

    It returns the least flag of the kernel if that is negative, else the largest.
    """
    return compiled(TEXT, this_host())


def compiled(text: str, host: Host) -> Share:
    """Return the function of a text like `TEXT`, for a processor."""
    code = cached_code(host, lambda: text)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 3)
    function: Any = kind(code.address("share"))
    # the function keeps its code
    function.code = code
    return function
