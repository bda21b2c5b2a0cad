"""The manifests of Python, Node and PHP projects."""

import json
import re
from typing import Any, cast

from mulligan.codecontext.manifests.facts import Facts, table
from mulligan.syntax.project_paths import ProjectPaths, under
from mulligan.types.codecontext import EntryPoint

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")


def pyproject(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    import tomllib

    document = tomllib.loads(text)
    project = table(document, "project")
    poetry = table(document, "tool", "poetry")
    if not project and not poetry:
        return None
    facts = Facts(str(project.get("name") or poetry.get("name") or ""))
    listed = [*_strings(project.get("dependencies"))]
    for group in table(project, "optional-dependencies").values():
        listed += _strings(group)
    for group in table(document, "dependency-groups").values():
        listed += _strings(group)
    listed += [name for name in table(poetry, "dependencies") if name != "python"]
    for group in table(poetry, "group").values():
        listed += list(table(cast("dict[str, Any]", group), "dependencies")) if isinstance(group, dict) else []
    facts.dependencies = _names(listed)
    scripts = table(project, "scripts") | table(project, "gui-scripts") | table(poetry, "scripts")
    _add_console_scripts(facts, {name: str(target) for name, target in scripts.items()}, folder, paths)
    return facts


def setup_cfg(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    import configparser

    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    if not parser.has_section("metadata") and not parser.has_section("options"):
        return None
    facts = Facts(parser.get("metadata", "name", fallback=""))
    facts.dependencies = _names(parser.get("options", "install_requires", fallback="").split("\n"))
    scripts = parser.get("options.entry_points", "console_scripts", fallback="")
    _add_console_scripts(facts, _assignments(scripts.split("\n")), folder, paths)
    return facts


def setup_py(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    """Reads only plain strings: the script is never run."""
    name = re.search(r"\bname\s*=\s*[\"']([^\"']+)", text)
    facts = Facts(name[1] if name else "")
    if required := _listed(r"install_requires\s*=\s*\[", text):
        facts.dependencies = _names(required)
    if scripts := _listed(r"[\"']console_scripts[\"']\s*:\s*\[", text):
        _add_console_scripts(facts, _assignments(scripts), folder, paths)
    return facts


def requirements(folder: str, text: str, paths: ProjectPaths) -> Facts | None:  # noqa: ARG001 - as all readers
    lines = (line.strip() for line in text.split("\n"))
    return Facts(dependencies=_names([line for line in lines if line and line[0] not in "#-"]))


def package_json(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    document = json.loads(text)
    facts = Facts(str(document.get("name") or ""))
    for group in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        facts.dependencies += list(table(document, group))
    facts.scripts = {name: str(command) for name, command in table(document, "scripts").items()}
    named: list[tuple[str, str]] = []
    if isinstance(main := document.get("main") or document.get("module"), str):
        named.append((main, "main of the package"))
    binaries = document.get("bin")
    if isinstance(binaries, str):
        named.append((binaries, f"command {facts.name}"))
    named += [(str(target), f"command {name}") for name, target in table(document, "bin").items()]
    for target, what in named:
        if found := _script_file(under(folder, target.removeprefix("./")), paths):
            facts.entry_points.append(EntryPoint(found, what))
    return facts


def composer_json(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
    document = json.loads(text)
    facts = Facts(str(document.get("name") or ""))
    for group in ("require", "require-dev"):
        facts.dependencies += [name for name in table(document, group) if "/" in name]  # not php, not its extensions
    for name, command in table(document, "scripts").items():
        facts.scripts[name] = " && ".join(_strings(command)) if isinstance(command, list) else str(command)
    binaries = document.get("bin")
    named = [
        (target, f"command {target}") for target in ([binaries] if isinstance(binaries, str) else _strings(binaries))
    ]
    for target, what in [*named, ("artisan", "console of Laravel"), ("public/index.php", "web application")]:
        if (found := under(folder, target.removeprefix("./"))) in paths.all:
            facts.entry_points.append(EntryPoint(found, what))
    return facts


def _listed(opening: str, text: str) -> list[str]:
    """The strings of the list after the first match of `opening`."""
    opened = re.search(opening, text)
    end = text.find("]", opened.end()) if opened else -1
    return re.findall(r"[\"']([^\"']+)[\"']", text[opened.end() : end]) if opened and end >= 0 else []


def _script_file(path: str, paths: ProjectPaths) -> str | None:
    """The file that a package names, or the source that it is built from."""
    stem = re.sub(r"\.\w+$", "", path)
    sources = [re.sub(r"(^|/)(?:dist|lib|build|out)/", r"\1src/", stem), stem]
    ends = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.js")
    return paths.first(path, *(source + end for source in sources for end in ends))


def _add_console_scripts(facts: Facts, scripts: dict[str, str], folder: str, paths: ProjectPaths) -> None:
    facts.scripts |= scripts
    for name, target in scripts.items():
        module = target.partition(":")[0].strip().replace(".", "/")
        bases = [under(folder, module), under(folder, f"src/{module}")]
        if found := paths.first(*(base + end for base in bases for end in (".py", "/__init__.py"))):
            facts.entry_points.append(EntryPoint(found, f"console script {name}"))


def _assignments(lines: list[str]) -> dict[str, str]:
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name.strip(): target.strip() for name, target in pairs}


def _names(listed: list[str]) -> list[str]:
    found = (_REQUIREMENT.match(line) for line in listed)
    return [each[1].lower() for each in found if each]


def _strings(value: Any) -> list[str]:
    return [each for each in cast("list[Any]", value) if isinstance(each, str)] if isinstance(value, list) else []
