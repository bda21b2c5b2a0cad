"""Finds calls that a model wrote into its text, in any of the formats that models were taught."""

from mulligan.core.text_calls.find import find_text_calls

__all__ = ["find_text_calls"]
