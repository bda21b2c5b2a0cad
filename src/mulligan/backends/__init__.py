"""External agents: how they are reached, kept and ended. What is common to them stands in `ports.backends`."""
