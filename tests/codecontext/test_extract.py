import json
import textwrap
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.syntax.extract import MAX_PARENT_CHARS, parse_file
from mulligan.syntax.grammars import TooSlow
from mulligan.syntax.parsed_file import ParsedFile, first_use, from_json
from mulligan.syntax.registry import grammars
from tests.examples import examples


@dataclass(frozen=True)
class Sample:
    path: str
    text: str
    symbols: list[str]
    """`line kind parent.name`."""
    imports: list[str] = field(default_factory=list[str])
    """`module` or `module: names`."""

    @property
    def parsed(self) -> ParsedFile:
        return parse_file(self.path, textwrap.dedent(self.text).lstrip("\n").encode())


SAMPLES = [
    Sample(
        "a.py",
        '''
        """What it is for."""
        import os, a.b as c
        from ..core import (x as y,  # first
            z)
        LIMIT = 3
        Kind = Literal["a"]
        app = make()

        @decorated(1)
        async def fetch(url: str, *, retries: int = 3) -> bytes:
            """Get it.

            Slowly."""
            def again(): ...

        class Box(Base):
            SIZE = 1
            @property
            def full(self) -> bool:
                from . import late
            class Inner: ...

        if True:
            def maybe(): ...
        ''',
        [
            "5 constant LIMIT", "6 type Kind", "7 variable app", "10 function fetch", "14 function fetch.again",
            "16 class Box", "17 constant Box.SIZE", "19 method Box.full", "21 class Box.Inner", "24 function maybe",
        ],
        ["os", "a.b", "..core: x z", ".: late"],
    ),
    Sample(
        "a.js",
        """
        import def, { one as two, three } from './b';
        const fs = require('fs');
        export const add = (a, b) => a + b;
        const mul = function (a) {};
        export default class Shape extends Base {
          area() {}
          scale = (n) => n;
          static #hidden() {}
        }
        export function* all() {}
        exports.later = () => {};
        const SIZE = 1, other = 2;
        """,
        [
            "2 variable fs", "3 function add", "4 function mul", "5 class Shape", "6 method Shape.area",
            "7 method Shape.scale", "8 method Shape.#hidden", "10 function all", "11 function later", "12 constant SIZE",
            "12 variable other",
        ],
        ["./b: def one three", "fs"],
    ),
    Sample("b.js", "export default function () {}\n", ["1 function default"]),
    Sample(
        "a.ts",
        """
        import type { T } from './types';
        export * from './all';
        export { q } from "./q";
        export interface Shape { area(): number }
        export type Id = string;
        enum Color { Red }
        export abstract class A<T> { abstract m(): void; private run = async () => {} }
        namespace N { export function inner() {} }
        export const useThing = (): number => 1;
        const lazy = () => import('./lazy');
        """,
        [
            "4 interface Shape", "4 method Shape.area", "5 type Id", "6 enum Color", "7 class A", "7 method A.m",
            "7 method A.run", "8 module N", "8 function N.inner", "9 function useThing", "10 function lazy",
        ],
        ["./types: T", "./all", "./q: q", "./lazy"],
    ),
    Sample("a.tsx", "export const App = () => <p/>;\nexport default function Page() {}\n", ["1 function App", "2 function Page"]),
    Sample(
        "a.go",
        """
        package box

        import (
            "fmt"
            q "example.com/m/queue"
        )

        const Size, Depth = 1, 2
        var count int

        // Box holds things.
        type Box[T any] struct{ a int }
        type Holder interface{ Hold() }
        type Fn = func()

        func (b *Box[T]) Put(x T) error { return nil }
        func New() *Box[int] { return nil }
        """,
        [
            "8 constant Size", "8 constant Depth", "9 variable count", "12 struct Box", "13 interface Holder", "13 method Holder.Hold",
            "14 type Fn", "16 method Box.Put", "17 function New",
        ],
        ["fmt", "example.com/m/queue"],
    ),
    Sample(
        "src/a.rs",
        """
        mod inner;
        use crate::box_::{self, Box as B, deep::{X, Y}};
        /// Holds things.
        #[derive(Debug)]
        pub struct Bag<T> { a: T }
        impl<T> Hold for Bag<T> { fn hold(&self) {} }
        pub trait Hold { fn hold(&self); }
        pub enum Kind { A }
        const MAX: u8 = 1;
        macro_rules! bag { () => {} }
        pub async fn run() {}
        mod tests { fn works() {} }
        """,
        [
            "5 struct Bag", "6 method Bag.hold", "7 trait Hold", "7 method Hold.hold", "8 enum Kind", "9 constant MAX",
            "10 function bag", "11 function run", "12 module tests", "12 function tests.works",
        ],
        ["mod::inner", "crate::box_", "crate::box_: Box", "crate::box_::deep: X", "crate::box_::deep: Y"],
    ),
    Sample(
        "A.java",
        """
        package a.b;
        import a.c.D;
        import static a.c.E.f;
        import a.d.*;
        /** Does things. */
        @Service
        public class A<T> extends B {
            static final int MAX = 1;
            A() {}
            public int run(int x) { return 1; }
            class Inner { void deep() {} }
            enum Kind { P }
            interface Hook { void on(); }
            record Pair(int a) {}
        }
        """,
        [
            "7 class A", "8 constant A.MAX", "9 method A.A", "10 method A.run", "11 class A.Inner",
            "11 method A.Inner.deep", "12 enum A.Kind", "13 interface A.Hook", "13 method A.Hook.on", "14 class A.Pair",
        ],
        ["a.c.D", "a.c.E: f", "a.d.*"],
    ),
    Sample(
        "a.c",
        """
        #include "a.h"
        #include <stdio.h>
        #define LIMIT 3
        #define TWICE(x) ((x) * 2)
        typedef struct { int a; } box_t;
        typedef struct node { int a; } node;
        struct pair { int a; };
        enum kind { A };
        static const int size = 1;
        int *find(int a);
        static int *make(int a) { int local(int); return 0; }
        """,
        [
            "3 constant LIMIT", "4 function TWICE", "5 struct box_t", "6 struct node", "7 struct pair", "8 enum kind",
            "9 variable size", "10 function find", "11 function make",
        ],
        ["a.h", "<stdio.h>"],
    ),
    Sample(
        "a.cpp",
        """
        namespace a::b {
        class Box : public Base {
        public:
          Box();
          int size() const;
          void put() {}
        };
        }
        template <class T> T most(T a) { return a; }
        void Box::fill(int n) {}
        using Id = int;
        enum class Kind { A };
        """,
        [
            "1 module a.b", "2 class a.b.Box", "4 method a.b.Box.Box", "5 method a.b.Box.size", "6 method a.b.Box.put",
            "9 function most", "10 method Box.fill", "11 type Id", "12 enum Kind",
        ],
    ),
    Sample("a.h", "namespace a { class Box { void put(); }; }\n", ["1 module a", "1 class a.Box", "1 method a.Box.put"]),
    Sample(
        "A.cs",
        """
        using System;
        using Box = A.B.Box;
        namespace A.B {
            /// <summary>Holds things.</summary>
            public class Bag<T> : Base {
                public const int Max = 1;
                public string Name { get; set; }
                public async Task<int> Run(int a) => 1;
                struct Inner {}
                enum Kind { P }
            }
            interface IHold { void Hold(); }
            record Pair(int A);
        }
        """,
        [
            "3 module A.B", "5 class A.B.Bag", "6 type A.B.Bag.Max", "7 variable A.B.Bag.Name", "8 method A.B.Bag.Run",
            "9 struct A.B.Bag.Inner", "10 enum A.B.Bag.Kind", "12 interface A.B.IHold", "12 method A.B.IHold.Hold",
            "13 class A.B.Pair",
        ],
        ["System", "A.B.Box"],
    ),
    Sample(
        "a.rb",
        """
        require 'json'
        require_relative "lib/box"
        # Holds things.
        module Things
          class Bag < Base
            MAX = 1
            def put(x) = x
            def self.make; end
          end
        end
        class A::B; end
        """,
        [
            "4 module Things", "5 class Things.Bag", "6 constant Things.Bag.MAX", "7 method Things.Bag.put",
            "8 method Things.Bag.make", "11 class A.B",
        ],
        ["json", "./lib/box"],
    ),
    Sample(
        "a.php",
        """
        <?php
        namespace App\\Models;
        use App\\Core\\{Model, Box as B};
        require_once __DIR__ . '/boot.php';
        const LIMIT = 1;
        abstract class User extends Model {
            const MAX = 1;
            public function name(): string { return ''; }
        }
        interface Named {} trait Loud {} enum Kind {}
        function helper() {}
        """,
        [
            "2 module App\\Models", "5 constant LIMIT", "6 class User", "7 constant User.MAX", "8 method User.name",
            "10 interface Named", "10 trait Loud", "10 enum Kind", "11 function helper",
        ],
        ["App\\Core\\Model", "App\\Core\\Box", "./boot.php"],
    ),
    Sample(
        "a.sh",
        """
        source ./common.sh
        . "$(dirname "$0")/lib/more.sh"
        readonly LIMIT=1
        # Do it.
        build() { make; }
        function clean { rm -f x; }
        """,
        ["3 constant LIMIT", "5 function build", "6 function clean"],
        ["./common.sh", "./lib/more.sh"],
    ),
    Sample(
        "a.lua",
        """
        -- What it is for.
        local money = require("shop.money")  -- in cents
        local log = require 'log'
        dofile("lib/extra.lua")
        local Cart = {}
        LIMIT = 3
        --- Adds.
        function Cart.add(a, b) return a + b end
        function Cart:total() local sum = function() return "require('no')" end return sum() end
        Cart.later = function(x) return x end
        local function helper(x) return x end
        local bound = function() end
        return Cart
        """,
        [
            "2 variable money", "3 variable log", "5 type Cart", "6 constant LIMIT", "8 method Cart.add",
            "9 method Cart.total", "10 method Cart.later", "11 function helper", "12 function bound",
        ],
        ["shop.money", "log", "./lib/extra.lua"],
    ),
]  # fmt: skip
BY_PATH = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.path)


@BY_PATH
def test_symbols_are_found_with_their_kind_parent_and_line(sample: Sample) -> None:
    parsed = sample.parsed
    assert parsed.skipped is None
    found = [f"{s.line} {s.kind} {s.parent + '.' if s.parent else ''}{s.name}" for s in parsed.symbols]
    assert found == sample.symbols


@BY_PATH
def test_imports_are_read_as_they_are_written(sample: Sample) -> None:
    found = [f"{each.module}: {' '.join(each.names)}" if each.names else each.module for each in sample.parsed.imports]
    assert found == sample.imports


@BY_PATH
def test_what_was_parsed_survives_the_way_between_processes(sample: Sample) -> None:
    assert from_json(json.loads(json.dumps(sample.parsed))) == sample.parsed


def test_every_grammar_with_queries_has_a_sample() -> None:
    assert {sample.parsed.grammar for sample in SAMPLES} == {each.key for each in grammars().values() if each.query}


@pytest.mark.parametrize(
    ("path", "name", "signature", "doc"),
    [
        pytest.param(
            "a.py", "fetch", "async def fetch(url: str, *, retries: int = 3) -> bytes", "Get it.", id="python"
        ),
        pytest.param("a.js", "add", "export const add = (a, b)", "", id="javascript"),
        pytest.param("a.ts", "A", "export abstract class A<T>", "", id="typescript"),
        pytest.param("a.go", "Box", "type Box[T any] struct{ a int }", "Box holds things.", id="go"),
        pytest.param("src/a.rs", "Bag", "pub struct Bag<T>", "Holds things.", id="rust"),
        pytest.param("A.java", "A", "@Service public class A<T> extends B", "Does things.", id="java"),
        pytest.param("a.cpp", "most", "template <class T> T most(T a)", "", id="cpp"),
        pytest.param("A.cs", "Bag", "public class Bag<T> : Base", "Holds things.", id="c sharp"),
        pytest.param("a.rb", "Things", "module Things", "Holds things.", id="ruby"),
        pytest.param("a.php", "name", "public function name(): string", "", id="php"),
        pytest.param("a.sh", "build", "build()", "Do it.", id="bash"),
    ],
)
def test_a_symbol_tells_its_head_and_the_first_line_about_it(path: str, name: str, signature: str, doc: str) -> None:
    sample = next(each for each in SAMPLES if each.path == path)
    found = next(each for each in sample.parsed.symbols if each.name == name)
    assert (found.signature, found.doc) == (signature, doc)


def test_names_in_comments_and_strings_are_no_uses() -> None:
    names = parse_file("a.py", b'# hidden\nprint("secret", f"{shown}")\nshown\n').names
    assert first_use(names, "hidden") is None
    assert first_use(names, "secret") is None
    assert first_use(names, "shown") == (2, 2)


@pytest.mark.parametrize(
    ("path", "data", "doc"),
    [
        pytest.param("a.py", b'#!/usr/bin/python\n"""Says it.\n\nMore."""\n', "Says it.", id="docstring"),
        pytest.param("a.js", b"/**\n * Says it.\n */\nlet a;\n", "Says it.", id="block comment"),
        pytest.param("a.go", b"// Says it.\npackage a\n", "Says it.", id="line comment"),
        pytest.param("a.go", b"// Copyright 2020 Somebody\n// All rights reserved.\npackage a\n", "", id="licence"),
        pytest.param("a.sh", b"#!/bin/sh\n# Says it.\nls\n", "Says it.", id="after the first line"),
    ],
)
def test_a_file_tells_what_it_is_for(path: str, data: bytes, doc: str) -> None:
    assert parse_file(path, data).doc == doc


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xef\xbb\xbfdef f():\n    pass\n", id="byte order mark"),
        pytest.param(b"def f():\r\n    pass\r\n", id="carriage returns"),
        pytest.param(b"def f():  # caf\xe9\n    pass\n", id="latin-1"),
        pytest.param("def f():\n    pass\n".encode("utf-16"), id="utf-16"),
    ],
)
def test_a_text_in_any_encoding_is_read(data: bytes) -> None:
    parsed = parse_file("a.py", data)
    assert [(each.name, each.line, each.signature) for each in parsed.symbols] == [("f", 1, "def f()")]
    assert (parsed.lines, parsed.skipped) == (2, None)


def test_a_broken_file_gives_what_it_can() -> None:
    parsed = parse_file("a.py", b"def good():\n    pass\n\ndef bad(:\n    x = (\n")
    assert parsed.skipped == "broken"
    assert parsed.symbols[0].name == "good"


@settings(max_examples=examples(150), deadline=None)
@given(
    st.sampled_from(["a.py", "a.ts", "a.go", "a.rs", "a.c", "a.cpp", "a.rb", "a.php", "a.sh", "A.java", "A.cs"]),
    st.binary(max_size=300),
)
def test_no_bytes_are_too_strange(path: str, data: bytes) -> None:
    parsed = parse_file(path, data)
    assert all(1 <= each.line <= each.end_line <= parsed.lines for each in parsed.symbols)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("a.py", ("(" * 99 + "\n") * 30, id="brackets in a row"),
        pytest.param("a.rb", ("a." * 49 + "\n") * 100 + "a\n", id="nested without end"),
    ],
)
def test_what_would_take_a_query_hours_is_not_queried(path: str, text: str) -> None:
    parsed = parse_file(path, text.encode())
    assert (parsed.skipped, parsed.symbols) == ("broken", ())


def test_a_file_that_its_parser_does_not_get_through_in_time_is_given_up() -> None:
    with pytest.raises(TooSlow):
        parse_file("a.py", b"value = 1\n" * 10_000, 0.000_001)


def test_a_use_of_many_levels_is_read() -> None:
    text = "use " + "a::{\n" * 100 + "b" + "}\n" * 100 + ";\n"
    (found,) = parse_file("a.rs", text.encode()).imports
    assert found.names == ("b",)


def test_the_names_around_a_name_have_an_end() -> None:
    text = "".join(f"class {'A' * 90}{number} {{\n" for number in range(100)) + "}\n" * 100
    assert max(len(symbol.parent) for symbol in parse_file("a.java", text.encode()).symbols) == MAX_PARENT_CHARS
