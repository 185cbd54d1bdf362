"""Order of instructions that keeps few values alive."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from dalembert.kernel.program.liveness import MEMORY
from dalembert.kernel.program.program import Instruction, Program
from dalembert.kernel.program.spec import HALVES


def schedule(program: Program) -> Program:
    """Return the program in an order for machines with few registers.

    Two greedy walks. The first goes backward from the results and places the instruction that
    brings the fewest new values to life, of equals the one that has waited longest. The second goes
    forward and places the instruction after which the fewest values are alive, of equals the one
    that comes first in the order of the first walk. Both together leave about half of the spills of
    a depth-first order. Time n·log n.
    """
    graph = _Graph(program)
    return _write(program, _forward(graph, _backward(graph)))


class _Graph:
    """The instructions that need a place of their own, by number, with what each needs and feeds.

    The halves of a ``sincos`` stay with it; constants and inputs are read where they are first
    needed.
    """

    def __init__(self, program: Program) -> None:
        self.size = len(program.code)
        self.places: list[int] = []
        self.needs: list[Sequence[int]] = [()] * self.size
        self.feeds: list[list[int]] = [[] for _ in range(self.size)]
        leader = [-1] * self.size
        for i, (op, args, _) in enumerate(program.code):
            if op in HALVES:
                leader[i] = args[0]
            elif op not in MEMORY:
                leader[i] = i
                self.places.append(i)
                needs = self.needs[i] = [k for k in {leader[a]: 0 for a in args} if k >= 0]
                for k in needs:
                    self.feeds[k].append(i)


def _backward(graph: _Graph) -> list[int]:
    """Return the instructions in the order found from the results to the inputs."""
    size, needs, feeds = graph.size, graph.needs, graph.feeds
    waiting = [len(users) for users in feeds]
    alive = bytearray(size)
    keys = [0] * size
    heap: list[int] = []
    order: list[int] = []

    def offer(i: int) -> None:
        born = 4 - alive[i]
        for k in needs[i]:
            if not alive[k]:
                born += 1
        # one integer sorts faster than a tuple: (born, time of the offer, i)
        keys[i] = key = (born * size + len(order)) * size + i
        heappush(heap, key)

    for i in graph.places:
        if not waiting[i]:
            offer(i)
    while heap:
        key = heappop(heap)
        i = key % size
        if keys[i] != key:
            continue
        keys[i] = -1
        order.append(i)
        born = [k for k in needs[i] if not alive[k]]
        for k in needs[i]:
            waiting[k] -= 1
            alive[k] = 1
            if not waiting[k]:
                offer(k)
        # what else needs the new values has become cheaper
        for k in born:
            for i in feeds[k]:
                if keys[i] > 0:
                    offer(i)
    order.reverse()
    return order


def _forward(graph: _Graph, order: list[int]) -> list[int]:
    """Return the instructions in the order found from the inputs to the results."""
    size, needs, feeds = graph.size, graph.needs, graph.feeds
    waiting = [len(operands) for operands in needs]
    unplaced = [len(users) for users in feeds]
    rank = [0] * size
    for place, i in enumerate(order):
        rank[i] = place
    keys = [0] * size
    heap: list[int] = []
    placed: list[int] = []

    def offer(i: int) -> None:
        alive = 5 if feeds[i] else 4
        for k in needs[i]:
            if unplaced[k] == 1:
                alive -= 1
        keys[i] = key = alive * size + rank[i]
        heappush(heap, key)

    for i in order:
        if not waiting[i]:
            offer(i)
    while heap:
        key = heappop(heap)
        i = order[key % size]
        if keys[i] != key:
            continue
        keys[i] = -1
        placed.append(i)
        for k in needs[i]:
            unplaced[k] -= 1
            if unplaced[k] == 1:
                # its last user ends the life of k
                for user in feeds[k]:
                    if keys[user] > 0:
                        offer(user)
        for user in feeds[i]:
            waiting[user] -= 1
            if not waiting[user]:
                offer(user)
    return placed


def _write(program: Program, order: list[int]) -> Program:
    """Return the program in the given order, with the rest of it where it is first needed."""
    halves: dict[int, list[int]] = {}
    for i, (op, args, _) in enumerate(program.code):
        if op in HALVES:
            halves.setdefault(args[0], []).append(i)
    code: list[Instruction] = []
    number = [-1] * len(program.code)

    def write(i: int) -> None:
        for a in program.code[i].args:
            if number[a] < 0:
                number[a] = len(code)
                code.append(program.code[a])
        number[i] = len(code)
        code.append(program.code[i].renumbered(number))

    for i in order:
        write(i)
        for half in halves.get(i, ()):
            write(half)
    for k in program.results:
        if number[k] < 0:
            write(k)
    return program.with_code(code, [number[k] for k in program.results])
