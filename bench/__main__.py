"""`python -m bench`: measure, print, store.

`python -m bench` runs every bench that needs no model and no folder; names choose others. Options after a single name
belong to that bench. `python -m bench report FILE` prints the page of stored results.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.catalog import BENCHES
from bench.markdown import page
from bench.results import Bench
from bench.running import run
from bench.stored import from_json

ORDER = tuple(bench.name for bench in BENCHES)


def main(words: Sequence[str]) -> int:
    """The exit code: 1 if a bound is missed or a bench fails."""
    if words[:1] == ["report"]:
        return _report(words[1:])
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        epilog=_listed(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,  # after a bench's name it is that bench's help that is wanted
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benches to run; by default all that need nothing")
    parser.add_argument(
        "--into", type=Path, metavar="FILE", help="store the results there, with those of other benches"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    parser.add_argument(
        "-h", "--help", action="store_true", help="this help, or after a name the options of that bench"
    )
    asked, rest = parser.parse_known_args(words)
    if asked.help and len(asked.names) != 1:
        parser.print_help()
        parser.exit()
    chosen = [bench for bench in BENCHES if bench.name in asked.names or (not asked.names and _needs_nothing(bench))]
    unknown = sorted({*asked.names} - {*ORDER})
    if unknown:
        parser.error(f"there is no bench {', '.join(unknown)}; there are: {', '.join(ORDER)}")
    if rest and len(chosen) != 1:
        parser.error(f"{rest[0]} is an option of a single bench: name only that one")
    return run(chosen, ["--help"] if asked.help else rest, order=ORDER, into=asked.into, as_json=asked.json)


def _needs_nothing(bench: Bench) -> bool:
    return not bench.asks_model and not bench.needs_others and not bench.takes_long


def _report(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench report", description="Print the page of stored results.")
    parser.add_argument("file", type=Path, help="what `--into` wrote")
    asked = parser.parse_args(words)
    print(page(from_json(asked.file.read_text(encoding="utf-8")), BENCHES), end="")
    return 0


def _listed() -> str:
    asks = {True: "  (asks the embedded model)", False: ""}
    return "\n".join(f"  {bench.name:12} {bench.title}{asks[bench.asks_model]}" for bench in BENCHES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
