"""The manifests of Go, Rust and Java projects."""

import re
from typing import Any, cast

from mulligan.codecontext.manifests.facts import Facts
from mulligan.codecontext.project_paths import ProjectPaths, under
from mulligan.types.codecontext import EntryPoint


def go_mod(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    name = go_module_name(text)
    if name is None:
        return None
    required = re.findall(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+(?:/[\w.~-]+)*)\s+v\d", text, re.MULTILINE)
    facts = Facts(name, dependencies=required)
    commands = re.compile(rf"{re.escape(under(folder, ''))}(?:cmd/([^/]+)/)?main\.go")
    for path in sorted(paths.all):
        if found := commands.fullmatch(path):
            facts.entry_points.append(EntryPoint(path, f"command {found[1] or name.rpartition('/')[2]}"))
    return facts


def go_module_name(text: str) -> str | None:
    found = re.search(r"^\s*module\s+[\"`]?([^\s\"`]+)", text, re.MULTILINE)
    return found[1] if found else None


def cargo_toml(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    import tomllib

    document = tomllib.loads(text)
    package = _table(document.get("package"))
    facts = Facts(str(package.get("name", "")))
    for group in ("dependencies", "dev-dependencies", "build-dependencies"):
        facts.dependencies += list(_table(document.get(group)))
    facts.dependencies += list(_table(_table(document.get("workspace")).get("dependencies")))
    for binary in cast("list[Any]", document.get("bin") or []):
        described = _table(binary)
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


def maven(folder: str, text: str, paths: ProjectPaths) -> Facts | None:  # noqa: ARG001 - as all readers
    """By pattern: an XML parser would refuse what is broken, and expand what is malicious."""
    bare = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    if "<project" not in bare:
        return None
    own = re.sub(r"<(parent|dependencies|build|dependencyManagement|profiles)>.*?</\1>", "", bare, flags=re.DOTALL)
    name = re.search(r"<artifactId>\s*([^<\s]+)", own)
    facts = Facts(name[1] if name else "")
    for block in re.findall(r"<(?:dependency|parent)>(.*?)</(?:dependency|parent)>", bare, re.DOTALL):
        group = re.search(r"<groupId>\s*([^<\s]+)", block)
        artifact = re.search(r"<artifactId>\s*([^<\s]+)", block)
        if group and artifact:
            facts.dependencies.append(f"{group[1]}:{artifact[1]}")
    return facts


def gradle(folder: str, text: str, paths: ProjectPaths) -> Facts | None:  # noqa: ARG001 - as all readers
    facts = Facts(folder.rpartition("/")[2])
    facts.dependencies = re.findall(r"""["']([\w.-]+\.[\w.-]+:[\w.-]+)(?::[^"']*)?["']""", text)
    plugins = re.findall(r"""\bid\s*\(?\s*["']([\w.-]+)["']""", text)
    facts.dependencies += [plugin for plugin in plugins if "." in plugin]
    return facts


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
