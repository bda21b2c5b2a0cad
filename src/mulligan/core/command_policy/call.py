"""A program and its arguments, with the properties that the rules check."""

from mulligan.core.command_policy.places import Folder, Where, alternatives
from mulligan.core.command_policy.words import Word
from mulligan.types.frozen import frozen


@frozen
class Call:
    name: str
    """Without its folder and version."""
    words: tuple[Word, ...]
    """The arguments."""
    folder: Folder
    finds: bool = False
    """Its input is a list of file names that a search of the project found."""

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.words]

    @property
    def flags(self) -> set[str]:
        """Options, without values; of `-rf` also `-r` and `-f`."""
        found: set[str] = set()
        for text in self.texts:
            if text == "--":
                break
            if text.startswith("-"):
                option = text.partition("=")[0]
                found.add(option)
                if not option.startswith("--"):
                    found.update(f"-{letter}" for letter in option[1:])
        return found

    @property
    def operands(self) -> list[Word]:
        """Words that are not options. Includes an option's value if it is a separate word."""
        texts = self.texts
        end = texts.index("--") if "--" in texts else len(texts)
        before = [word for word in self.words[:end] if not word.text.startswith("-") or word.text == "-"]
        return [*before, *self.words[end + 1 :]]

    @property
    def first(self) -> str:
        """The subcommand: the first operand, or the first word if there are only options."""
        operands = self.operands
        if operands:
            return operands[0].text
        return self.words[0].text if self.words else ""

    def behind(self, count: int) -> "Call":
        """The same call without its first `count` words."""
        return Call(self.name, self.words[count:], self.folder, self.finds)

    def places(self, words: list[Word]) -> set[Where]:
        """Where these paths may lead, with braces expanded."""
        return {
            place
            for word in words
            for path in [*alternatives(word.text), *word.values]
            if not (word.computed and not path)
            for place in self.folder.everywhere(path)
        }


def strip_options(words: tuple[Word, ...], valued: frozenset[str]) -> tuple[Word, ...]:
    """Words from the first operand on. `valued` are the options whose value is the next word."""
    index = 0
    while index < len(words) and words[index].text.startswith("-") and words[index].text != "-":
        if words[index].text == "--":
            return words[index + 1 :]
        index += 2 if words[index].text in valued else 1
    return words[index:]
