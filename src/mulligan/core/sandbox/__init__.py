"""Decisions about the sandbox: what a command gets, what needs approval, what was blocked, what is promised."""
