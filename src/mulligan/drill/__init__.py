"""The gallery of faults, played through the real product: the installed command, a real project, a scripted model.

`fault` defines a fault, `gallery` contains them, `player` plays them, `claims` and `actions` evaluate what was seen,
`commands` and `warm_process` start the product. Nothing here uses Mulligan's internals: what it did is read from exit
codes, frames, files and the requests to the model.
"""
