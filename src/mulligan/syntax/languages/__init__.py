"""One file per language, each with a record `LANGUAGE`. `syntax/registry.py` finds them, whatever their names."""
