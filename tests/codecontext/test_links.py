from dataclasses import dataclass, field

import pytest

from tests.codecontext.conftest import Project


@dataclass(frozen=True)
class Sample:
    name: str
    files: dict[str, str | bytes]
    links: dict[str, dict[str, set[str]]]
    """Which file uses which, by which names; of every file that uses any."""
    external: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


SAMPLES = [
    Sample(
        "python",
        {
            "pyproject.toml": "",
            "src/shop/__init__.py": "from shop.cart import Cart\n",
            "src/shop/cart.py": "import os\nfrom .prices import total, TAX\nclass Cart:\n    def sum_up(self): return total() + TAX\n",
            "src/shop/prices.py": "TAX = 1\ndef total(): return 0\ndef unused(): return 1\n",
            "src/shop/deep/__init__.py": "",
            "src/shop/deep/report.py": "from .. import prices\nfrom shop import Cart\nprices.unused()\nCart().sum_up()\n",
            "tests/test_cart.py": "from shop.cart import Cart\ndef test(): total = Cart().sum_up()\n",
            "script.py": "import json\nimport shop.prices\nshop.prices.total()\n",
        },
        {
            "src/shop/__init__.py": {"src/shop/cart.py": {"Cart"}},
            "src/shop/cart.py": {"src/shop/prices.py": {"total", "TAX"}},
            "src/shop/deep/report.py": {
                "src/shop/__init__.py": set(),
                "src/shop/prices.py": {"unused"},
                "src/shop/cart.py": {"Cart"},
            },
            "tests/test_cart.py": {"src/shop/cart.py": {"Cart", "sum_up"}},
            "script.py": {"src/shop/prices.py": {"total"}},
        },
        {"src/shop/cart.py": {"os"}, "script.py": {"json"}},
    ),
    Sample(
        "typescript",
        {
            "tsconfig.json": '{\n  // aliases\n  "compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}},\n}\n',
            "package.json": '{"name": "app", "workspaces": ["packages/*"]}',
            "packages/ui/package.json": '{"name": "@app/ui"}',
            "packages/ui/src/index.ts": "export * from './button';\n",
            "packages/ui/src/button.tsx": "export const Button = () => <b/>;\n",
            "src/main.ts": (
                "import React from 'react';\nimport { load } from './api/load.js';\nimport { Button } from '@app/ui';\n"
                "import { fmt } from '@/lib';\nload(fmt(Button));\n"
            ),
            "src/api/load.ts": "export async function load(x) {}\n",
            "src/lib/index.ts": "export const fmt = (x) => x;\n",
        },
        {
            "packages/ui/src/index.ts": {"packages/ui/src/button.tsx": set()},
            "src/main.ts": {
                "src/api/load.ts": {"load"},
                "packages/ui/src/index.ts": set(),
                "packages/ui/src/button.tsx": {"Button"},
                "src/lib/index.ts": {"fmt"},
            },
        },
        {"src/main.ts": {"react"}},
    ),
    Sample(
        "go",
        {
            "go.mod": "module example.com/m\n\ngo 1.22\n",
            "main.go": 'package main\nimport (\n\t"fmt"\n\t"example.com/m/queue"\n)\nfunc main() { fmt.Println(queue.NewQueue()) }\n',
            "queue/queue.go": "package queue\nfunc NewQueue() *Queue { return nil }\n",
            "queue/types.go": "package queue\ntype Queue struct{}\n",
        },
        {"main.go": {"queue/queue.go": {"NewQueue"}}, "queue/queue.go": {"queue/types.go": {"Queue"}}},
        {"main.go": {"fmt"}},
    ),
    Sample(
        "rust",
        {
            "Cargo.toml": "[package]\nname = 'bag'\n",
            "src/main.rs": "mod bag;\nuse crate::bag::inner::Inner;\nuse serde::Serialize;\nfn main() { Inner::make(); }\n",
            "src/bag/mod.rs": "pub mod inner;\npub fn helper_function() {}\n",
            "src/bag/inner.rs": "use super::helper_function;\npub struct Inner;\nimpl Inner { pub fn make() { helper_function() } }\n",
        },
        {
            "src/main.rs": {"src/bag/mod.rs": set(), "src/bag/inner.rs": {"Inner"}},
            "src/bag/mod.rs": {"src/bag/inner.rs": set()},
            "src/bag/inner.rs": {"src/bag/mod.rs": {"helper_function"}},
        },
        {"src/main.rs": {"serde"}},
    ),
    Sample(
        "java",
        {
            "src/main/java/a/b/App.java": "package a.b;\nimport a.c.Store;\nimport java.util.List;\nclass App { Store s; Util u; }\n",
            "src/main/java/a/b/Util.java": "package a.b;\nclass Util {}\n",
            "src/main/java/a/c/Store.java": "package a.c;\npublic class Store {}\n",
        },
        {
            "src/main/java/a/b/App.java": {
                "src/main/java/a/c/Store.java": {"Store"},
                "src/main/java/a/b/Util.java": {"Util"},
            }
        },
        {"src/main/java/a/b/App.java": {"java.util.List"}},
    ),
    Sample(
        "c",
        {
            "src/main.c": '#include <stdio.h>\n#include "box.h"\nint main(void) { return box_size(); }\n',
            "include/box.h": "int box_size(void);\n",
            "src/box.c": '#include "box.h"\nint box_size(void) { return 1; }\n',
        },
        {"src/main.c": {"include/box.h": {"box_size"}}, "src/box.c": {"include/box.h": set()}},
        {"src/main.c": {"stdio.h"}},
    ),
    Sample(
        "cpp",
        {
            "main.cpp": '#include "lib/box.hpp"\nint main() { a::Box b; }\n',
            "lib/box.hpp": "namespace a { class Box { int size(); }; }\n",
            "lib/box.cpp": '#include "box.hpp"\nint a::Box::size() { return 1; }\n',
        },
        {"main.cpp": {"lib/box.hpp": {"Box"}}, "lib/box.cpp": {"lib/box.hpp": {"Box"}}},
    ),
    Sample(
        "c sharp",
        {
            "App/Program.cs": "using Shop.Models;\nusing System;\nnamespace Shop { class Program { Item item; } }\n",
            "Models/Item.cs": "namespace Shop.Models { public class Item {} }\n",
        },
        {"App/Program.cs": {"Models/Item.cs": {"Item"}}},
        {"App/Program.cs": {"System"}},
    ),
    Sample(
        "ruby",
        {
            "bin.rb": "require 'json'\nrequire_relative 'lib/shop/cart'\nCart.new\n",
            "lib/shop/cart.rb": "require 'shop/item'\nclass Cart\n  def item = Item.new\nend\n",
            "lib/shop/item.rb": "class Item\nend\n",
        },
        {"bin.rb": {"lib/shop/cart.rb": {"Cart"}}, "lib/shop/cart.rb": {"lib/shop/item.rb": {"Item"}}},
        {"bin.rb": {"json"}},
    ),
    Sample(
        "php",
        {
            "index.php": "<?php\nrequire __DIR__ . '/src/boot.php';\nuse App\\Models\\User;\nuse Psr\\Log\\LoggerInterface;\nnew User();\n",
            "src/boot.php": "<?php\nfunction boot() {}\n",
            "src/Models/User.php": "<?php\nnamespace App\\Models;\nclass User {}\n",
        },
        {"index.php": {"src/boot.php": set(), "src/Models/User.php": {"User"}}},
        {"index.php": {"Psr\\Log\\LoggerInterface"}},
    ),
    Sample(
        "bash",
        {
            "build.sh": 'source "$(dirname "$0")/lib/common.sh"\nrun_tests\n',
            "lib/common.sh": "run_tests() { echo; }\n",
        },
        {"build.sh": {"lib/common.sh": {"run_tests"}}},
    ),
    Sample(
        "lua",
        {
            "main.lua": 'local cart = require("shop.cart")\nlocal log = require("log")\ndofile("setup.lua")\ncart.total_price()\n',
            "setup.lua": "TAX = 1\n",
            "src/shop/cart.lua": 'local money = require "shop.money"\nlocal M = {}\nfunction M.total_price() return money.in_cents() end\nreturn M\n',
            "src/shop/money/init.lua": "local M = {}\nfunction M.in_cents() return 1 end\nreturn M\n",
        },
        {
            "main.lua": {"setup.lua": set(), "src/shop/cart.lua": {"total_price"}},
            "src/shop/cart.lua": {"src/shop/money/init.lua": {"in_cents"}},
        },
        {"main.lua": {"log"}},
    ),
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
async def test_imports_and_names_lead_to_files(sample: Sample, project: Project) -> None:
    project.write(sample.files)
    index = project.index()
    found = {path: await index.dependencies(path) for path in sample.files}
    links = {path: {link.path: set(link.names) for link in each.imports} for path, each in found.items()}
    assert {path: each for path, each in links.items() if each} == sample.links
    external = {path: set(each.external) for path, each in found.items()}
    assert {path: each for path, each in external.items() if each} == sample.external


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
async def test_a_link_is_told_from_both_ends(sample: Sample, project: Project) -> None:
    project.write(sample.files)
    index = project.index()
    for user, links in sample.links.items():
        for used, names in links.items():
            back = (await index.dependencies(used)).imported_by
            assert (user, names) in [(link.path, set(link.names)) for link in back]


async def test_a_telling_name_that_one_file_defines_is_a_link_without_an_import(project: Project) -> None:
    project.write({"a.py": "def compute_tax_rate(): ...\n", "b.py": "compute_tax_rate()\n", "c.py": "compute\n"})
    found = await project.index().dependencies("a.py")
    assert [link.path for link in found.imported_by] == ["b.py"]


async def test_a_name_that_several_files_define_is_no_link_without_an_import(project: Project) -> None:
    project.write({"a.py": "def run_it_all(): ...\n", "b.py": "def run_it_all(): ...\n", "c.py": "run_it_all()\n"})
    assert (await project.index().dependencies("c.py")).imports == ()


async def test_a_name_of_another_language_is_no_link(project: Project) -> None:
    project.write({"a.go": "package a\nfunc ComputeTax() {}\n", "b.py": "ComputeTax()\n"})
    assert (await project.index().dependencies("b.py")).imports == ()
