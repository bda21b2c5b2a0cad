"""An index of a project's code. The code is parsed, never run."""
