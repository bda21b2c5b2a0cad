"""The gallery of faults, played through the real product: the installed command, a real project, a scripted model.

`fault` says what a fault is, `gallery` holds them, `player` plays one, `claims` and `deeds` look at what was seen,
`runner` plays many; `commands` and `warm_process` start it. Nothing here reaches into Mulligan: what it does is read
from exit codes, frames, files and from what the model was asked.
"""
