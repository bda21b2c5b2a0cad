"""Decisions of a fix run: its nodes, its budgets, what judges it, and what the planner is asked. Pure."""
