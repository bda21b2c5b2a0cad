"""Byte counts for display."""


def format_size(size: float) -> str:
    """`491 MB`, `1.1 GB`."""
    for unit, amount in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= amount:
            return f"{size / amount:.1f} {unit}" if size < 10 * amount else f"{size / amount:.0f} {unit}"
    return f"{size:.0f} B"
