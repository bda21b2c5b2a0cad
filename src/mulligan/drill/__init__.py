"""The gallery of faults, played through the real product: the installed command, a real project, a scripted model.

`fault` says what a fault is, `gallery` holds them, `playing` plays one, `claims` and `telling` look at what was seen,
`running` plays many; `commands` and `warm` start the program. Nothing here reaches into Mulligan: what it does is read
from exit codes, frames, files and from what the model was asked.
"""
