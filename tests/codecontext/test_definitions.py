"""Where several symbols have one name, the one with a body is shown: definitions in C and C++ above all."""

import pytest

from mulligan.tools.code_context.get_symbol_info import show_symbol
from tests.codecontext.conftest import Project

C: dict[str, str | bytes] = {
    "include/tax.h": "/* What is owed. */\nint tax_of(int price);\nint rate(void);\n",
    "src/rules.c": '#include "tax.h"\n\nint tax_of(int price)\n{\n    return price * rate() / 100;\n}\n',
    "src/main.c": '#include "tax.h"\n\nint main(void)\n{\n    return tax_of(200);\n}\n',
}
CPP: dict[str, str | bytes] = {
    "shapes.hpp": """
        namespace geo {
        class Square {
        public:
            double surface_area() const;
            double twice() const { return 2 * surface_area(); }
        private:
            double side = 2;
        };
        }
        """,
    "square.cpp": '#include "shapes.hpp"\n\ndouble geo::Square::surface_area() const\n{\n    return side * side;\n}\n',
    "main.cpp": '#include "shapes.hpp"\n\nint main()\n{\n    return geo::Square().surface_area() > 4;\n}\n',
}


async def test_the_source_of_a_c_function_is_its_definition_and_its_prototype_is_named_as_a_declaration(
    project: Project,
) -> None:
    project.write(C)
    found = await project.index().symbol("tax_of")
    assert (found[0].symbol.path, found[0].symbol.line) == ("src/rules.c", 3)
    assert found[0].source[-2:] == ("    return price * rate() / 100;", "}")
    assert [(each.path, each.is_declaration) for each in found[0].others] == [("include/tax.h", True)]
    assert "Declarations of this name:\ninclude/tax.h:2 function int tax_of(int price)" in show_symbol("tax_of", found)


async def test_who_calls_a_c_function_by_its_header_is_told_with_its_definition(project: Project) -> None:
    project.write(C)
    found, *_ = await project.index().symbol("tax_of")
    assert ([(each.path, each.line) for each in found.references], found.using_files) == ([("src/main.c", 5)], 1)


async def test_a_prototype_whose_definition_is_not_in_the_project_is_shown_as_a_declaration(project: Project) -> None:
    project.write(C)
    content = show_symbol("rate", await project.index().symbol("rate"))
    assert content.startswith("include/tax.h:3 function int rate(void)")
    assert "a declaration without a body" in content


async def test_a_c_function_of_the_same_name_elsewhere_has_none_of_the_users_of_the_header(project: Project) -> None:
    project.write({**C, "tools/other.c": "static int tax_of(int price) { return 0; }\n"})
    (found,) = await project.index().symbol("tax_of", path="tools/other.c")
    assert (found.references, found.using_files) == ((), 0)


@pytest.mark.parametrize("name", ["surface_area", "Square.surface_area", "geo::Square::surface_area"])
async def test_the_source_of_a_cpp_method_is_its_definition_out_of_line(name: str, project: Project) -> None:
    project.write(CPP)
    found, *_ = await project.index().symbol(name)
    assert (found.symbol.path, found.source[0]) == ("square.cpp", "double geo::Square::surface_area() const")
    assert [(each.path, each.line, each.is_declaration) for each in found.others] == [("shapes.hpp", 4, True)]
    assert {(each.path, each.line) for each in found.references} == {("main.cpp", 5), ("shapes.hpp", 5)}
    assert found.using_files == 2


async def test_a_cpp_method_defined_in_its_class_is_no_declaration(project: Project) -> None:
    project.write(CPP)
    (found,) = await project.index().symbol("twice")
    assert not found.symbol.is_declaration


@pytest.mark.parametrize(
    ("path", "text", "declared"),
    [
        pytest.param("a.ts", "interface A { run(): void }\nclass B { run() { } }\n", "A", id="TypeScript interface"),
        pytest.param("a.ts", "abstract class A { abstract run(): void }\nclass B { run() { } }\n", "A", id="abstract"),
        pytest.param("a.rs", "trait A { fn run(&self); }\nimpl B { fn run(&self) { } }\n", "A", id="Rust trait"),
        pytest.param("a.go", "type A interface { run() }\nfunc (b B) run() { }\n", "A", id="Go interface"),
        pytest.param("A.java", "interface A { void run(); }\nclass B { void run() { } }\n", "A", id="Java interface"),
        pytest.param("A.cs", "interface A { void run(); }\nclass B { void run() => x(); }\n", "A", id="C# interface"),
        pytest.param("a.php", "<?php interface A { function run(); }\nclass B { function run() { } }\n", "A", id="PHP"),
    ],
)
async def test_a_method_with_a_body_comes_before_one_without(
    path: str, text: str, declared: str, project: Project
) -> None:
    project.write({path: text if path != "a.go" else f"package a\n{text}"})
    first, second = [info.symbol for info in await project.index().symbol("run")]
    assert ((first.parent, first.is_declaration), (second.parent, second.is_declaration)) == (
        ("B", False),
        (declared, True),
    )


async def test_files_that_use_a_symbol_are_counted_beyond_those_that_are_listed(project: Project) -> None:
    project.write({"a.py": "def make_one(): ...\n\nmake_one()\nmake_one()\n"})
    project.write({f"use_{n:02}.py": "from a import make_one\nmake_one()\nmake_one()\n" for n in range(57)})
    (found,) = await project.index().symbol("make_one")
    assert (len(found.references), found.using_files, len(found.own_references)) == (20, 57, 2)
    content = show_symbol("make_one", [found])
    listed = [line for line in content.splitlines() if line.startswith("use_")]
    assert "Used in 57 other files, one line of each:" in content
    assert f"[{57 - len(listed)} more; grep finds the others]" in content


async def test_all_symbols_of_a_name_are_counted(project: Project) -> None:
    project.write({f"m{n:02}.py": "def run(): ...\n" for n in range(30)})
    found = await project.index().symbol("run")
    assert len(found[0].others) == 29
