"""The manifests of Go, Rust and Java projects."""

import re
from typing import Any, cast

from mulligan.codecontext.manifests.facts import Facts, table
from mulligan.syntax.project_paths import ProjectPaths, under
from mulligan.types.codecontext import EntryPoint

# An unclosed element extends to the end of the file: searching again from each opening tag would take hours.
_OF_OTHERS = re.compile(r"<(parent|dependencies|build|dependencyManagement|profiles)>(?>.*?</\1>|.*)", re.DOTALL)
_USED = re.compile(r"<(?:dependency|parent)>(?>(.*?)</(?:dependency|parent)>|.*)", re.DOTALL)


def go_mod(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    name = go_module_name(text)
    if name is None:
        return None
    lines = (line.strip().removeprefix("require ").split(maxsplit=2) for line in text.split("\n"))
    facts = Facts(name, dependencies=[words[0] for words in lines if len(words) > 1 and _is_required(*words[:2])])
    commands = re.compile(rf"{re.escape(under(folder, ''))}(?:cmd/([^/]+)/)?main\.go")
    for path in sorted(paths.all):
        if found := commands.fullmatch(path):
            facts.entry_points.append(EntryPoint(path, f"command {found[1] or name.rpartition('/')[2]}"))
    return facts


def go_module_name(text: str) -> str | None:
    found = re.search(r"^[ \t]*+module[ \t]++[\"`]?([^\s\"`]+)", text, re.MULTILINE)
    return found[1] if found else None


def cargo_toml(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    import tomllib

    document = tomllib.loads(text)
    package = table(document.get("package"))
    facts = Facts(str(package.get("name", "")))
    for group in ("dependencies", "dev-dependencies", "build-dependencies"):
        facts.dependencies += list(table(document.get(group)))
    facts.dependencies += list(table(table(document.get("workspace")).get("dependencies")))
    for binary in cast("list[Any]", document.get("bin") or []):
        described = table(binary)
        path = under(folder, str(described.get("path") or f"src/bin/{described.get('name')}.rs"))
        if path in paths.all:
            facts.entry_points.append(EntryPoint(path, f"binary {described.get('name')}"))
    if (main := under(folder, "src/main.rs")) in paths.all:
        facts.entry_points.append(EntryPoint(main, f"binary {facts.name}"))
    for path in paths.folders.get(under(folder, "src/bin"), ()):
        facts.entry_points.append(EntryPoint(path, f"binary {path.rpartition('/')[2].removesuffix('.rs')}"))
    if (library := under(folder, "src/lib.rs")) in paths.all:
        facts.entry_points.append(EntryPoint(library, f"library {facts.name}"))
    known = {each.path: each for each in reversed(facts.entry_points)}
    facts.entry_points = list(reversed(known.values()))
    return facts


def maven(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    """Read with patterns: an XML parser would refuse broken files, and expand malicious entities."""
    without_comments = re.sub(r"<!--(?>.*?-->|.*)", "", text, flags=re.DOTALL)
    if "<project" not in without_comments:
        return None
    own = _OF_OTHERS.sub("", without_comments)
    name = re.search(r"<artifactId>\s*([^<\s]+)", own)
    facts = Facts(name[1] if name else "")
    for block in _USED.findall(without_comments):
        group = re.search(r"<groupId>\s*([^<\s]+)", block)
        artifact = re.search(r"<artifactId>\s*([^<\s]+)", block)
        if group and artifact:
            facts.dependencies.append(f"{group[1]}:{artifact[1]}")
    _add_main_classes(facts, re.findall(r"<(?:mainClass|start-class)>\s*+([\w.$]++)", without_comments), folder, paths)
    return facts


def gradle(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    """A build script, or the catalog of versions that it takes its dependencies from."""
    facts = Facts(folder.rpartition("/")[2])
    named = re.findall(r"""["']([\w.-]++:[\w.-]++)(?::[^"']*+)?["']""", text)
    facts.dependencies = [name for name in named if _is_dotted(name.partition(":")[0])]
    plugins = re.findall(r"""\bid\s*+[(=]?\s*+["']([\w.-]++)["']""", text)
    plugins += [f"org.jetbrains.kotlin.{kind}" for kind in re.findall(r"""\bkotlin\s*+\(\s*+["'](\w++)["']""", text)]
    grouped = re.findall(r"""\bgroup\s*+[=:]\s*+["']([\w.-]++)["'],\s*+name\s*+[=:]\s*+["']([\w.-]++)["']""", text)
    facts.dependencies += [":".join(each) for each in grouped]
    facts.dependencies += [plugin for plugin in plugins if "." in plugin]
    mains = re.findall(r"""\bmainClass(?:Name)?(?:\.set\(|\s*+=)\s*+["']([\w.$]++)["']""", text)
    _add_main_classes(facts, mains, folder, paths)
    return facts


def _add_main_classes(facts: Facts, names: list[str], folder: str, paths: ProjectPaths) -> None:
    for name in dict.fromkeys(names):
        # Kotlin compiles code outside of classes into a class named after the file.
        files = [(name.replace(".", "/"), "java"), (name.removesuffix("Kt").replace(".", "/"), "kt")]
        ends = [f"{path}.{end}" for path, end in files]
        candidates = [under(folder, f"src/main/{source}/{end}") for source in ("java", "kotlin") for end in ends]
        if found := paths.first(*candidates):
            facts.entry_points.append(EntryPoint(found, f"main class {name}"))


def _is_required(module: str, version: str) -> bool:
    host = module.partition("/")[0]
    return _is_dotted(host) and re.match(r"v\d", version) is not None and re.fullmatch(r"[\w.~/-]+", module) is not None


def _is_dotted(name: str) -> bool:
    return "." in name[1:-1]
