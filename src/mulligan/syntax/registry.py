"""Finds the language of a file by its name alone, without loading a grammar."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from mulligan.syntax import languages as folder
from mulligan.syntax.language import Grammar, Language


@cache
def languages() -> tuple[Language, ...]:
    """One for every file in `languages/`."""
    modules = [import_module(f"{folder.__name__}.{each.name}") for each in iter_modules(folder.__path__)]
    return tuple(module.LANGUAGE for module in modules)


@cache
def grammars() -> dict[str, Grammar]:
    """By their keys."""
    return {grammar.key: grammar for language in languages() for grammar in language.grammars}


def language_of(path: str) -> Language | None:
    """None if the file's language is not in `languages/`."""
    found = grammars_for(path)
    return language_with(found[0].key) if found else None


def language_with(grammar: str) -> Language:
    """The language that has the grammar with this key."""
    return _by_grammar()[grammar]


def grammars_for(path: str) -> tuple[Grammar, ...]:
    """The grammars that a file may be written in, the usual one first."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    _, dot, extension = name.rpartition(".")
    return _by_ending().get(name) or _by_ending().get(dot + extension, ())


@cache
def _by_grammar() -> dict[str, Language]:
    return {grammar.key: language for language in languages() for grammar in language.grammars}


@cache
def _by_ending() -> dict[str, tuple[Grammar, ...]]:
    """Extensions with their dot, and whole names."""
    found: dict[str, tuple[Grammar, ...]] = {}
    for grammar in grammars().values():
        for ending in (*(f".{each}" for each in grammar.extensions), *grammar.file_names):
            found[ending] = (*found.get(ending, ()), grammar)
    return found
