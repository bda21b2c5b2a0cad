"""Calls that a model wrote into its text, in any of the ways models were taught to write them."""

from mulligan.core.text_calls.find import find_text_calls

__all__ = ["find_text_calls"]
