import subprocess
import sys

import pytest

from mulligan.syntax.grammars import load
from mulligan.syntax.registry import grammars, grammars_for

FILES = """a.py=python a.pyi=python a.js=javascript a.mjs=javascript a.cjs=javascript a.jsx=javascript a.ts=typescript
a.tsx=tsx a.go=go a.rs=rust a.java=java a.c=c a.h=c a.cc=cpp a.cpp=cpp a.hpp=cpp a.cs=c_sharp a.rb=ruby a.php=php
a.sh=bash a.bash=bash a.lua=lua a.json=json src/deep/A.PY=python Gemfile=ruby src\\a.go=go a.test.ts=typescript"""


@pytest.mark.parametrize("file", FILES.split())
def test_a_file_name_tells_the_grammar(file: str) -> None:
    path, _, name = file.partition("=")

    assert grammars_for(path)[0].key == name


@pytest.mark.parametrize("path", ["a.txt", "py", "README", "a.py.bak", "", "a.", ".py/x"])
def test_other_files_have_no_grammar(path: str) -> None:
    assert grammars_for(path) == ()


@pytest.mark.parametrize("name", grammars())
def test_every_grammar_loads(name: str) -> None:
    assert load(name).node_kind_count > 0


def test_only_the_grammar_that_is_asked_for_is_loaded() -> None:
    script = (
        "import sys; from mulligan.syntax.grammars import load; "
        "from mulligan.syntax.registry import grammars_for; key = grammars_for('a.go')[0].key; "
        "before = [name for name in sys.modules if name.startswith('tree_sitter')]; load(key); "
        "print(before, load.cache_info().currsize)"
    )

    printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout

    assert printed == "[] 1\n"
