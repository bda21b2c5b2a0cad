"""Adapters to model servers, and the scripted model that stands in for one."""
