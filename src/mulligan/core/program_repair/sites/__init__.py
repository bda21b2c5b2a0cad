"""Where a program may be wrong: functions and lines, weighed by what the failures say of them."""
