"""``python -m tests.isolated [HOOK|WAY ...]``: every hook of a delegate fails in every way; a table of what it cost.

Each case has a process of its own, which a case that isolation does not hold back may end.
"""

from __future__ import annotations

import sys

from lite_delegate.basics.answering_process import AnsweringProcess, HelperEnded
from tests.isolated.judging import serve
from tests.isolated.visits import HOOKS, WAYS

CASE_SECONDS = 120


def main(hooks: list[str]) -> int:
    """Prints the table; the number of cases that cost too much."""
    process = AnsweringProcess(serve)
    wrong: list[str] = []
    ways = [each for each in hooks if each in WAYS] or WAYS
    print(f"{'':28}" + "".join(f"{how:>16}" for how in ways), flush=True)
    for hook in [each for each in hooks if each in HOOKS] or HOOKS:
        cells = []
        for how in ways:
            try:
                cell = process.ask((hook, how), CASE_SECONDS)
            except HelperEnded as e:
                cell = f"! the user's process {e}"
            if cell.startswith("!"):
                wrong.append(f"{hook}, {how}: {cell}")
                cell = "!"
            cells.append(f"{cell:>16}")
        print(f"{hook:28}" + "".join(cells), flush=True)
    print("\n".join(["", *wrong, f"{len(wrong)} cost too much"]))
    return len(wrong)


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
