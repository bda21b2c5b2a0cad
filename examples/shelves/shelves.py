"""The labels of a library's shelves."""


def shelf_label(number: int) -> str:
    """The number of a shelf in Roman numerals: 4 is "IV", 1990 is "MCMXC". Shelves count from 1 to 3999."""
    raise NotImplementedError


def shelf_sign(room: str, number: int) -> str:
    """What stands on the shelf."""
    return f"{room} · {shelf_label(number)}"
