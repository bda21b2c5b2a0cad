"""The command line with all its commands, for whoever wants to know what there is."""

from mulligan.cli.entry import make_app

app = make_app()
