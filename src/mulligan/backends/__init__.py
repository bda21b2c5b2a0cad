"""External agents: how they are reached, kept and ended. `ports.backends` has what they share."""
