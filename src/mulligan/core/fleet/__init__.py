"""Decisions of a fleet: what a submitted line asks for, who is next, how long to leave a server alone."""
