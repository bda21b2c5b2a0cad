"""Where a program may be wrong: functions and lines, weighed by the failures."""
