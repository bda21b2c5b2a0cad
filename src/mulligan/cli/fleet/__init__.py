"""The commands of `mulligan fleet`; `commands/fleet.py` makes a group of them."""
