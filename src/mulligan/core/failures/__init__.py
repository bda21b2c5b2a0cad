"""Reads the output of a failed command: why it failed, in one line, test by test, and where in the code."""

from mulligan.core.failures.classify import classify_failure
from mulligan.core.failures.locations import SourceLocation, locations_in
from mulligan.core.failures.report import read_report
from mulligan.core.failures.summary import summarize_failure

__all__ = ["SourceLocation", "classify_failure", "locations_in", "read_report", "summarize_failure"]
