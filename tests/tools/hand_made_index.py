"""A code index at the port that knows what it was told: the tools' own words can be looked at without parsing."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from mulligan.ports.code import CodeAnswers
from mulligan.types.codecontext import (
    CodeFile,
    Dependencies,
    EntryPoint,
    FileAnalysis,
    FileChanges,
    Framework,
    IndexProgress,
    IndexState,
    LanguageShare,
    Link,
    Neighborhood,
    Overview,
    RankedFile,
    Reference,
    Symbol,
    SymbolInfo,
    SymbolKind,
)
from mulligan.types.errors import CallRejected

T = TypeVar("T")


def symbol(name: str, path: str = "src/shop/cart.py", line: int = 3, *, kind: SymbolKind = "class") -> Symbol:
    signature = f"class {name}" if kind == "class" else f"def {name}(self)"
    return Symbol(name, kind, path, line, line + 9, signature, doc=f"About {name}.")


def overview(files: int = 3) -> Overview:
    paths = [f"src/shop/file_{number}.py" for number in range(files)]
    return Overview(
        files=files + 2,
        lines=12_345,
        languages=(LanguageShare("Python", files, 12_000), LanguageShare("Markdown", 2, 345)),
        entry_points=(EntryPoint("src/shop/__main__.py", "console script shop"),),
        important=tuple(RankedFile(path, 0.1, ("used by 3 files",)) for path in paths),
        symbols=tuple(symbol(f"Class{number}", path) for number, path in enumerate(paths)),
        neighborhoods=(Neighborhood("shop", tuple(paths), ("Class0",)),) if paths else (),
        documents=("docs/guide.md", "README.md"),
        folders=(("src", files), ("src/shop", files)),
        skipped=(("generated", 2),),
    )


@dataclass
class HandMadeIndex:
    """Implements `ports.CodeIndex`."""

    map: Overview = field(default_factory=overview)
    manifests: tuple[Framework, ...] = ()
    groups: tuple[Neighborhood, ...] = ()
    symbols: tuple[SymbolInfo, ...] = ()
    files: dict[str, FileAnalysis] = field(default_factory=dict[str, FileAnalysis])
    code: tuple[CodeFile, ...] = ()
    looks: list[FileChanges] = field(default_factory=list[FileChanges])

    so_far: IndexProgress | None = None
    """What it says of its prompt answers."""

    def progress(self) -> IndexProgress:
        return IndexProgress()

    async def promptly(self, question: Callable[[CodeAnswers], Awaitable[T]]) -> tuple[T, IndexProgress | None]:
        return await question(self), self.so_far

    async def refresh(self) -> IndexState:
        return IndexState(self.map.files, 0, 0.0)

    async def overview(self) -> Overview:
        return self.map

    async def frameworks(self) -> tuple[Framework, ...]:
        return self.manifests

    async def neighborhoods(self, around: str | None = None) -> tuple[Neighborhood, ...]:
        return tuple(sorted(self.groups, key=lambda group: around not in group.files)) if around else self.groups

    async def search_symbols(
        self, query: str, *, kind: SymbolKind | None = None, limit: int = 40
    ) -> tuple[Symbol, ...]:
        every = [info.symbol for info in self.symbols if query in info.symbol.name]
        return tuple(each for each in every if kind in {None, each.kind})[:limit]

    async def code_files(self, words: Sequence[str]) -> tuple[CodeFile, ...]:
        del words
        return self.code

    async def dependencies(self, path: str) -> Dependencies:
        return (await self.file(path)).dependencies

    async def file(self, path: str) -> FileAnalysis:
        if path not in self.files:
            raise CallRejected("exec_error", f"{path} is not in the index.")
        return self.files[path]

    async def symbol(self, name: str, *, path: str | None = None) -> tuple[SymbolInfo, ...]:
        return tuple(each for each in self.symbols if each.symbol.name == name and path in {None, each.symbol.path})

    async def changes(self) -> FileChanges:
        return self.looks.pop(0)


def info(name: str, path: str = "src/shop/cart.py", *, uses: int = 2, others: tuple[Symbol, ...] = ()) -> SymbolInfo:
    """A symbol of ten lines, of which three are at hand, as are at most five of the files that use it."""
    return SymbolInfo(
        symbol=symbol(name, path),
        source=(f"class {name}:", "    def total(self):", "        return 1"),
        references=tuple(Reference(f"src/shop/pay_{n}.py", n, f"{name}()") for n in range(1, min(uses, 5) + 1)),
        using_files=uses,
        own_references=(Reference(path, 20, f"x = {name}()"),),
        members=(symbol("total", path, 4, kind="method"),),
        others=others,
    )


def analysis(path: str, *, symbols: int = 2, users: int = 1) -> FileAnalysis:
    dependencies = Dependencies(
        path,
        imports=(Link("src/shop/money.py", ("Money", "cents")),),
        imported_by=tuple(Link(f"src/shop/user_{number}.py", ("Cart",)) for number in range(users)),
        external=("decimal", "json"),
    )
    found = tuple(symbol(f"Class{number}", path, number * 20 + 1) for number in range(symbols))
    return FileAnalysis(path, "Python", 400, "The cart.", found, dependencies, rank=2, skipped=None)
