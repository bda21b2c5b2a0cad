"""Imports of written code: no name twice, and in Go none that is not used."""

import pytest

from mulligan.core.writing.placing import place_code

MAIN = "\n\nfunc F() {\n\tfmt.Println(1)\n}\n"


@pytest.mark.parametrize(
    ("path", "had", "came", "together"),
    [
        pytest.param("a.js", "import { a } from './m.js';", "import { a, b } from './m.js';",
                     "import { a, b } from './m.js';", id="JavaScript: one name more"),
        pytest.param("a.js", "import { a } from './m.js';", 'import { a } from "./m.js"',
                     "import { a } from './m.js';", id="in other quotes"),
        pytest.param("a.js", "import { a } from './m.js';", "import d, { a, b as c } from './m.js';",
                     "import { a } from './m.js';\nimport d, { b as c } from './m.js';", id="with a default"),
        pytest.param("a.js", "import * as m from './m.js';", "import * as m from './m.js';\nimport './k.js';",
                     "import * as m from './m.js';\nimport './k.js';", id="as one name, and for what it does"),
        pytest.param("a.js", "import {\n  a,\n} from './m.js';",
                     "import { b } from './m.js';\nimport { c } from './m.js'",
                     "import {\n  a, b, c,\n} from './m.js';", id="in several lines, twice"),
        pytest.param("a.js", "import { a } from './m.js';", "import { f } from './a.js';",
                     "import { a } from './m.js';", id="what the file defines itself"),
        pytest.param("a.js", "const { a } = require('./m');", "const { a, b: c } = require('./m');",
                     "const { a, b: c } = require('./m');", id="required"),
        pytest.param("a.ts", "import type { A } from './m';", "import { type A, b } from './m';",
                     "import type { A } from './m';\nimport { b } from './m';", id="TypeScript: a type"),
        pytest.param("a.py", "from m import a", "from m import a, b as c\nimport os.path",
                     "from m import a, b as c\nimport os.path", id="Python"),
        pytest.param("a.py", "from m import (\n    a,\n)", "from m import (a, b)",
                     "from m import (\n    a, b,\n)", id="Python: in several lines"),
        pytest.param("a.py", "import json", "import json, os", "import json\nimport os", id="Python: modules"),
        pytest.param("a.py", "from m import a", "from k import a", "from m import a\nfrom k import a",
                     id="Python: of another module, which hides the first"),
    ],
)  # fmt: skip
def test_a_name_is_imported_once(path: str, had: str, came: str, together: str) -> None:
    before, after = ("function f() {\n  return 0;\n}", "function f() {\n  return 1;\n}")
    if path.endswith(".py"):
        before, after = "def f():\n    return 0", "def f():\n    return 1"
    placed = place_code(path, f"{had}\n\n{before}".split("\n"), f"{came}\n\n{after}")
    assert placed is not None
    assert "\n".join(placed) == f"{together}\n\n{after}"


@pytest.mark.parametrize(
    ("had", "code", "after"),
    [
        pytest.param('import (\n\t"fmt"\n)', 'import (\n\t"fmt"\n\t"os"\n)\n\nfunc F() {\n\tfmt.Print(os.Args)\n}',
                     'import (\n\t"fmt"\n\t"os"\n)', id="one more, in the same block"),
        pytest.param('import "fmt"', 'import (\n\t"fmt"\n\t"os"\n)\n\nfunc F() {\n\tfmt.Print(os.Args)\n}',
                     'import "fmt"\nimport (\n\t"os"\n)', id="one more, in another form"),
        pytest.param('import (\n\t"fmt"\n\t_ "embed"\n)', "func F() {\n\tprintln(1)\n}", 'import (\n\t_ "embed"\n)',
                     id="one is no longer used"),
        pytest.param('import "fmt"', "func F() {\n\tprintln(1)\n}", "", id="none is used any more"),
        pytest.param('import "fmt"', 'import "os"\n\nfunc F() {\n\tfmt.Println("os.Args")\n}', 'import "fmt"',
                     id="the reply uses it only in a text"),
        pytest.param('import (\n\t"fmt"\n\t"gopkg.in/yaml.v3"\n)', "func F() {\n\tfmt.Println(2)\n}",
                     'import (\n\t"fmt"\n\t"gopkg.in/yaml.v3"\n)', id="a package of another name than its path"),
    ],
)  # fmt: skip
def test_go_has_what_it_uses(had: str, code: str, after: str) -> None:
    placed = place_code("a.go", f"package a\n\n{had}{MAIN}".split("\n"), code)
    assert placed is not None
    function = code[code.index("func") :]
    assert "\n".join(placed) == "\n\n".join(filter(None, ["package a", after, function]))
