"""One module a runner: what its output says. A reader returns None for the output of others."""
