"""Finds the fault: by coverage (lines that failing tests run and passing ones do not), tracebacks and names."""
