"""A failed test's message, rewritten as a call, its result and what was expected."""
