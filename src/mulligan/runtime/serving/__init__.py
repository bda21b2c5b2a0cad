"""What all our HTTP servers share: listening, limits on connections, shutdown by a signal, tokens."""
