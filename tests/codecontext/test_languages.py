"""What every language's record has to hold."""

import re
import subprocess
import sys

import pytest
from tree_sitter import Query

from mulligan.core.failures.report import OTHER_READERS, READERS
from mulligan.syntax.blanking import blank_literals
from mulligan.syntax.file_types import FILE_NAMES, NO_CODE, OTHER_CODE, file_type
from mulligan.syntax.grammars import load
from mulligan.syntax.language import Grammar, Language
from mulligan.syntax.registry import grammars, language_of, languages
from mulligan.syntax.testfiles import is_test_file

READ = [language for language in languages() if language.grammars[0].query]


def test_every_file_of_the_folder_is_one_language() -> None:
    names = [language.name for language in languages()]
    assert len(names) == len(set(names)) > 1
    assert all(isinstance(language, Language) for language in languages())


@pytest.mark.parametrize("grammar", [each for each in grammars().values() if each.query], ids=lambda each: each.key)
def test_a_query_fits_its_grammar_and_tells_text_from_code(grammar: Grammar) -> None:
    Query(load(grammar.key), grammar.query)  # raises for a node that the grammar does not know
    assert {"name", "text", "import"} <= set(re.findall(r"@(\w+)", grammar.query))


@pytest.mark.parametrize("language", READ, ids=lambda language: language.name)
def test_a_comment_is_blanked_and_code_is_not(language: Language) -> None:
    path = f"a.{language.grammars[0].extensions[0]}"
    for mark in language.comment_marks:
        assert "apple" not in blank_literals(path, f"banana {mark} apple\n")
    assert blank_literals(path, 'banana "apple"').split()[0] == "banana"
    assert "apple" not in blank_literals(path, 'banana "apple"')


@pytest.mark.parametrize("language", READ, ids=lambda language: language.name)
def test_tests_are_known_in_every_language(language: Language) -> None:
    extension = language.grammars[0].extensions[0]
    names = ("test_cart", "cart_test", "CartTest", "cart_spec", "cart.test")
    assert any(re.fullmatch(language.test_stems, name) for name in names)
    assert not is_test_file(f"src/contest.{extension}")
    assert is_test_file(f"spec/cart.{extension}") is language.spec_folders


def test_every_reader_of_test_output_belongs_to_one_language() -> None:
    named = [name for language in languages() for name in language.test_readers]
    assert sorted([*named, *OTHER_READERS]) == sorted(READERS)


def test_an_extension_has_one_name() -> None:
    listed = [each for table in (OTHER_CODE, NO_CODE, FILE_NAMES) for names in table.values() for each in names.split()]
    assert len(listed) == len(set(listed))
    read = {each for grammar in grammars().values() if grammar.query for each in grammar.extensions}
    assert read.isdisjoint(listed)


@pytest.mark.parametrize("program", [name for language in READ for name in language.interpreters])
def test_a_script_without_an_extension_is_known_by_its_first_line(program: str) -> None:
    found = file_type("bin/run", f"#!/usr/bin/env {program}\n".encode())
    assert found is not None
    assert program in language_with_key(found.grammar).interpreters


def language_with_key(key: str | None) -> Language:
    language = language_of(f"a.{grammars()[key or ''].extensions[0]}")
    assert language is not None
    return language


def test_finding_a_language_loads_no_grammar() -> None:
    script = (
        "import sys; from mulligan.syntax.testfiles import is_test_file; is_test_file('a_test.go'); "
        "print([name for name in sys.modules if name.startswith('tree_sitter')])"
    )
    printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert printed == "[]\n"
