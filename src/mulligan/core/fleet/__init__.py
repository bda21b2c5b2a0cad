"""Decisions of a fleet: what a job asks for, which job and which call is next, how long to back off from a server."""
