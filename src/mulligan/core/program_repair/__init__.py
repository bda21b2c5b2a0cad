"""Repair without a model: what cheap checks notice, and small changes to suspicious places."""
