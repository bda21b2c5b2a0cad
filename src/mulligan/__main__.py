"""`mulligan`, and `python -m mulligan`."""

import sys

from mulligan.cli.early_answers import answer_early


def main() -> None:
    if answer_early(sys.argv[0], sys.argv[1:]):
        return
    import gc

    # Imports create many objects and no garbage: collecting it costs 6 % of the time to the first request.
    gc.set_threshold(100_000, 20, 20)

    from mulligan.runtime.own_secrets import hide_secrets

    hide_secrets()

    from mulligan.cli.entry import run

    try:
        run()
    finally:
        # Python scans all objects for garbage at exit, which takes a server a third of a second.
        gc.freeze()


if __name__ == "__main__":
    main()
