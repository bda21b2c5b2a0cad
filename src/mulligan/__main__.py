"""`mulligan`, and `python -m mulligan`."""


def main() -> None:
    from mulligan.cli.app import run

    run()


if __name__ == "__main__":
    main()
