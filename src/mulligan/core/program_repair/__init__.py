"""Repair without a model: what cheap checks notice, where a fault may be, and small changes to that place."""
