"""Exported C is run as a compiler would: expected values by hand."""

from __future__ import annotations

import math

import pytest

from dalembert.errors import EvaluationError, ParseError
from dalembert.reader.code.c import array, c_program, pointers


def run(body: str, *args: object, before: str = "") -> list[float]:
    """Return what a function with ``double *out`` of six numbers leaves there."""
    out = array([0.0] * 6)
    given = "".join(f", double x{i}" for i in range(len(args)))
    text = f"{before}\nvoid f(double *out{given})\n{{\n{body}\n}}\n"
    c_program(text).run("f", out, *args)
    return out.array.cells


def test_arithmetic_and_functions() -> None:
    found = run("out[0] = 1.0 - 2*x0/4.0; out[1] = -x0*x0; out[2] = pow(x0, 1.5);", 4.0)
    assert found[:3] == [-1.0, -16.0, 8.0]
    found = run(
        "out[0] = sinf(x0); out[1] = fabs(-x0); out[2] = 0.1f; out[3] = fma(x0, 2, 1);", 0.5
    )
    assert found[:4] == [math.sin(0.5), 0.5, 0.10000000149011612, 2.0]


def test_whole_numbers_divide_as_in_c() -> None:
    assert run("int i = -7; out[0] = i/2; out[1] = i % 3; out[2] = 7/2; out[3] = 7.0/2;")[:4] == [
        -3.0,
        -1.0,
        3.0,
        3.5,
    ]
    # what is stored in a double is one
    assert run("double x = 7; out[0] = x/2; int j = 3.9; out[1] = j;")[:2] == [3.5, 3.0]


def test_conditions_and_signs() -> None:
    body = "out[0] = x0 > 0.0 ? 1.0 : x0 < 0.0 ? -1.0 : x0; if (x0 != 0 && !(x0 > 1)) out[1] = 5;"
    assert run(body + " else { out[1] = 6; }", -2.0)[:2] == [-1.0, 5.0]
    assert run(body + " else { out[1] = 6; }", 2.0)[:2] == [1.0, 6.0]
    assert math.isnan(run(body, math.nan)[0])


def test_loops_and_arrays_of_arrays() -> None:
    body = """
    double A[2][3], *p;
    int i, j;
    for (i = 0; i < 2; ++i)
        for (j = 0; j < 3; j++)
            A[i][j] = 10*i + j;
    p = A[1];
    out[0] = p[2];
    out[1] = *(p + 1);
    for (i = 5; i >= 0; i = i - 2) { if (i == 1) break; out[2] += i; }
    for (i = 0; i < 4; ++i) { if (i == 2) continue; out[3] += i; }
    """
    assert run(body)[:4] == [12.0, 11.0, 8.0, 4.0]


def test_structs_tables_and_calls() -> None:
    before = """
    #define N 2
    #ifndef __cplusplus
    #define ALONE restrict
    #else
    #define ALONE
    #endif
    typedef struct { int parent; double R[4], m; } body;
    static const body bodies[N] = {{-1, {1.0, 2.0}, 3.0}, {0, {4.0, 5.0, 6.0, 7.0}, 8.0}};
    static const int above[] = {-1, 0, 1};
    static void add(const double *ALONE a, double *b) { b[0] += a[0] + a[1]; }
    static double twice(const body *b) { return 2*b->m; }
    """
    body = """
    const body *b = &bodies[1];
    double t[2] = {1}, s = 0, c;
    add(b->R + 2, t);
    out[0] = t[0];
    out[1] = twice(&bodies[0]) + above[2];
    out[2] = bodies[b->parent].R[1] + t[1];
    sincos(s, &s, &c);
    out[3] = s + c;
    """
    assert run(body, before=before)[:4] == [14.0, 7.0, 2.0, 1.0]


def test_null_pointers_and_switches() -> None:
    before = """
    static const long long t_0[] = {4, 5};
    static const long long *t(long long i) { switch (i) { case 0: return t_0; } return 0; }
    static double first(const double **arg) { return arg[0] ? arg[0][0] : -1.0; }
    """
    body = "out[0] = first(arg); out[1] = t(0)[1]; out[2] = t(1) ? 1 : 2;"
    text = f"{before}\nvoid f(const double **arg, double *out) {{ {body} }}"
    for given, expected in ((0, -1.0), (array([7.0]), 7.0)):
        out = array([0.0] * 3)
        c_program(text).run("f", pointers([given]), out)
        assert out.array.cells == [expected, 5.0, 2.0]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("out[7] = 1;", "a cell of an array of 6, got number 7"),
        ("for (;;) out[0] += 1;", "a loop of at most"),
        ("f(out);", "at most 50 calls"),
    ],
)
def test_what_goes_wrong_ends(body: str, named: str) -> None:
    with pytest.raises(EvaluationError, match=named):
        run(body)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("out[0] = y;", "a name that is declared, got 'y'"),
        ("out[0] = system(1);", "a known function, got 'system'"),
        ("out[0] = 1", "';'"),
        ("out[0] = (1;", r"'\)'"),
        ("1 = 2;", "something that can be set"),
        ("out[0] = $;", "expected a program"),
        ("out[0] = " + "(" * 200 + "1" + ")" * 200 + ";", "at most 100 brackets"),
        ("#include <x>\n#foo\n", "a directive"),
        ('#include "other.h"\n', "a known header"),
    ],
)
def test_what_is_no_exported_c_is_refused(body: str, named: str) -> None:
    with pytest.raises(ParseError, match=named):
        run(body)
