"""Calls that a model wrote into its text, in any of the ways models were taught to write them."""

from mulligan.core.text_calls.find import TextCalls, find_text_calls

__all__ = ["TextCalls", "find_text_calls"]
