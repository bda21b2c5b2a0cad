"""One file a language, each with one record `LANGUAGE`. `syntax/registry.py` finds them; the file names are free."""
