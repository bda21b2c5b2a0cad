"""What every HTTP server of ours needs: listening, bounded connections, an end by a signal, tokens."""
