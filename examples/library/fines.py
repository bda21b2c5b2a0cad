"""Fines for books that come back late."""

from datetime import date

FREE_DAYS = 3
"""So many days late cost nothing."""
PER_DAY = 0.25
AT_MOST = 10.0


def days_late(due: date, returned: date) -> int:
    """Never negative: early is not late."""
    return max(0, (returned - due).days)


def fine(due: date, returned: date) -> float:
    """What a late book costs. The first days are free, then every further day counts."""
    late = days_late(due, returned)
    if late < FREE_DAYS:
        return 0.0
    return min(AT_MOST, (late - FREE_DAYS) * PER_DAY)


def reminder(title: str, due: date, today: date) -> str:
    """What is written to the reader."""
    late = days_late(due, today)
    if late == 0:
        return f"{title} is due on {due}."
    return f"{title} is {late} days late. So far this costs {fine(today, due):.2f}."
