"""`mulligan`, and `python -m mulligan`."""

import gc


def main() -> None:
    # Loading modules makes many objects and no garbage: looking for some costs 6 % of the way to the first request.
    gc.set_threshold(100_000, 20, 20)

    from mulligan.cli.app import run

    run()


if __name__ == "__main__":
    main()
