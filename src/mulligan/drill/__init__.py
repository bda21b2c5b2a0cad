"""The gallery of faults, played through the real product: the installed command, a real project, a scripted model.

`fault` says what a fault is, `gallery` holds them, `player` plays them, `claims` and `actions` look at what was seen,
`commands` and `warm_process` start it. Nothing here reaches into Mulligan: what it does is read
from exit codes, frames, files and from what the model was asked.
"""
