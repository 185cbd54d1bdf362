"""Print how many of the printed answers are graded right: python -m tests.textbook.books."""

from __future__ import annotations

from tests.textbook.books import BOOKS

if __name__ == "__main__":
    whole = 0
    for book, problems in BOOKS.items():
        right = 0
        for problem in problems:
            try:
                grades = [str(x) for x in problem.grades()]
            except Exception as error:  # an older version fails with anything
                grades = [f"{type(error).__name__}: {error}"]
            if all(x.startswith("✓") for x in grades):
                right += 1
            else:
                print(f"  {problem.title}:")
                for x in grades:
                    print("   ", x.replace("\n", "\n    "))
        whole += right
        print(f"{book}: {right} of {len(problems)}")
    print(f"all: {whole} of {sum(map(len, BOOKS.values()))}")
