"""Generates the pages under `docs/reference` from the code: `make reference`."""
