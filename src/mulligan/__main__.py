"""`mulligan`, and `python -m mulligan`."""

import sys

from mulligan.cli.early_answers import answer_early


def main() -> None:
    if answer_early(sys.argv[0], sys.argv[1:]):
        return
    import gc

    # Imports create many objects and no garbage: collecting it costs 6 % of the time to the first request.
    gc.set_threshold(100_000, 20, 20)
    _want_no_plugins()

    from mulligan.runtime.own_secrets import hide_secrets

    hide_secrets()

    from mulligan.cli.entry import run

    try:
        run()
    finally:
        # Python scans all objects for garbage at exit, which takes a server a third of a second.
        gc.freeze()


def _want_no_plugins() -> None:
    """Pydantic asks every installed package for plugins, which takes 25 ms. We need none.

    Its own switch is an environment variable, which would also reach the tests of the user's project, and saves only
    half.
    """
    from types import ModuleType

    loader = ModuleType("pydantic.plugin._loader")
    loader.__dict__["get_plugins"] = tuple
    sys.modules[loader.__name__] = loader


if __name__ == "__main__":
    main()
