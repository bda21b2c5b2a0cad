"""One file per command. `models` includes `probe.py`; `doctor` has its checks in `doctor_checks.py` and
`doctor_offline.py`, `drill` the choice of faults in `drill_selection.py`."""
