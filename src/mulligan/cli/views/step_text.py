"""The text of one step so far, and how much of it is already printed."""


class StepText:
    """Text and reasoning of a step, growing."""

    def __init__(self) -> None:
        self._deltas: list[str] = []
        self._rest = ""
        self._printed = ""
        self._reasoning: list[str] = []

    @property
    def rest(self) -> str:
        """The unfinished block at the end."""
        return self._rest

    @property
    def printed(self) -> bool:
        """Whether part of the text is already printed."""
        return bool(self._printed.strip())

    @property
    def begun(self) -> bool:
        return bool(self._printed or self._rest or self._deltas)

    @property
    def words_thought(self) -> int:
        return len("".join(self._reasoning).split())

    def say(self, text: str) -> None:
        self._deltas.append(text)

    def think(self, text: str) -> None:
        self._reasoning.append(text)

    def take_blocks(self) -> list[str]:
        """The blocks completed since the last call. They count as printed."""
        if not self._deltas:
            return []
        from mulligan.cli.views.markdown_blocks import split_blocks

        blocks, self._rest = split_blocks(self._rest + "".join(self._deltas))
        self._deltas.clear()
        self._printed += "".join(blocks)
        return blocks

    def take_all(self) -> list[str]:
        """All blocks not printed yet, including the unfinished last one."""
        if not self.begun:
            return []
        from mulligan.cli.views.markdown_blocks import whole_blocks

        blocks = [*self.take_blocks(), *whole_blocks(self._rest)]
        self._printed += self._rest
        self._rest = ""
        return blocks

    def take_thoughts(self) -> int:
        """The number of words of reasoning since the last call."""
        words = self.words_thought
        self._reasoning.clear()
        return words

    def trim(self, kept: str) -> bool:
        """Keep only this text. False if the printed text is not part of it, so that it must be printed again."""
        fits = kept.startswith(self._printed)
        self._deltas = [kept.removeprefix(self._printed) if fits else kept]
        self._rest = ""
        if not fits:
            self._printed = ""
        return fits
