"""Who may ask what: the token, the checks around every request, rate limits."""
