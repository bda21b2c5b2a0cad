"""Decisions about the sandbox: what a command is given, what needs a yes, what was kept from it, what is promised."""
