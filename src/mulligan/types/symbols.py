"""What kinds of symbols there are. Apart from the rest of what is known of code: tools name them at every start."""

from typing import Literal

SymbolKind = Literal[
    "class", "function", "method", "interface", "struct", "enum", "trait", "type", "constant", "variable", "module"
]
