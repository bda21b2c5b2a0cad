"""`python -B -m unittest` in a process that need not load it."""

import os
import sys
import unittest
from pathlib import Path


def run_unittest(folder: Path, output: Path, *tests: str) -> None:
    """Its exit code is that of the command; what it says goes into a file."""
    with output.open("w") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    os.chdir(folder)
    sys.path.insert(0, "")
    sys.dont_write_bytecode = True
    unittest.main(module=None, argv=["python -m unittest", *tests])
