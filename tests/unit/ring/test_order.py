"""What is printed does not depend on what was made before it."""

from __future__ import annotations

import subprocess
import sys

TEXTS = [
    "sin(log(y)/(3*a) + 9*log(a))",
    "sqrt(b)*exp(a*x) + exp(x/2)*sqrt(a + b) + abs(y - x)*sign(z)",
    "cos(x + 2*y)*cos(z - y) + sin(x*y)*sin(a*z) - tanh(b*z)/sqrt(x^2 + a)",
    "atan2(y*b, x*a) + asin(sin(x)/2)*log(1 + z^2) + cos(x*log(a))*cos(y*log(b))",
]
PROGRAM = """
import sys
import dalembert as da
order, texts = sys.argv[1], sys.argv[2:]
if order == "forwards":
    symbols = [*da.coordinates("x y z"), *da.parameters("a b")]
else:
    symbols = [*da.parameters("b a"), *da.coordinates("z y x")]
    by_name = {str(x): x for x in symbols}
    kept = [9 * da.log(by_name["a"]), da.sqrt(by_name["b"]), da.sin(by_name["z"])]
    kept += [da.parse(text, symbols) for text in reversed(texts)]
print(*(str(da.parse(text, symbols)) for text in texts), sep="\\n")
"""


def printed(order: str) -> str:
    command = [sys.executable, "-X", "utf8", "-c", PROGRAM, order, *TEXTS]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout


def test_the_printed_order_is_that_of_names_not_of_age() -> None:
    forwards = printed("forwards")
    assert forwards.count("\n") == len(TEXTS)
    assert forwards == printed("backwards")
