"""One module per runner: parses its output. A reader returns None for the output of others."""
