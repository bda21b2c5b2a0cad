"""Fix runs: plan, change, verify, learn from the failure, at most three times; then done, or a report."""
