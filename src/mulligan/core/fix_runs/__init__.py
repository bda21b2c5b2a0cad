"""What a fix run is decided by: its nodes, its budgets, what judges it, and what the planner is asked. Pure."""
