"""The command line with all commands loaded, for code that lists them."""

from mulligan.cli.entry import make_app

app = make_app()
