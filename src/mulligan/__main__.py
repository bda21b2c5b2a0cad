"""`mulligan`, and `python -m mulligan`."""

import sys

from mulligan.cli.early_answers import answer_early


def main() -> None:
    if answer_early(sys.argv[0], sys.argv[1:]):
        return
    import gc

    # Loading modules makes many objects and no garbage: looking for some costs 6 % of the way to the first request.
    gc.set_threshold(100_000, 20, 20)
    _want_no_plugins()

    from mulligan.runtime.own_secrets import hide_secrets

    hide_secrets()

    from mulligan.cli.entry import run

    try:
        run()
    finally:
        # Python looks through all objects for garbage before it ends, which takes a server a third of a second.
        gc.freeze()


def _want_no_plugins() -> None:
    """Pydantic asks every installed package for plugins, which takes 25 ms. None is of use here.

    Its own switch is an environment variable, which would reach the tests of the person's project too, and saves half.
    """
    from types import ModuleType

    loader = ModuleType("pydantic.plugin._loader")
    loader.__dict__["get_plugins"] = tuple
    sys.modules[loader.__name__] = loader


if __name__ == "__main__":
    main()
