"""Adapters to model servers, and a scripted model that can replace one."""
