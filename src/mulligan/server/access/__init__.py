"""Access control: the token, the checks around every request, rate limits."""
