"""The manifests of Ruby, .NET, CMake, Elixir and Swift projects. Most are programs; they are only read, never run."""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mulligan.codecontext.manifests.facts import Facts
from mulligan.syntax.project_paths import ProjectPaths, under
from mulligan.types.codecontext import EntryPoint


@dataclass(frozen=True, slots=True)
class ManifestPatterns:
    comment: str
    """Matches text to ignore."""
    name: str
    dependencies: tuple[str, ...]
    """The first group of each pattern is a dependency."""
    begins: Mapping[str, str]
    """Files in which the program starts, and what to call them. `{name}` is the project's name."""
    builds: str = ""
    """Its groups are a program's name and the file in which it starts."""
    needs: str = ""
    """If this does not match, the file is part of another project."""


PATTERNS: Mapping[str, ManifestPatterns] = {
    "gemfile": ManifestPatterns(
        comment=r"#.*",
        name=r"(?!)",
        dependencies=(r"^[ \t]*+gem\b[ \t(]*+[\"']([\w.-]++)",),
        begins={"config/application.rb": "Rails application", "config.ru": "Rack application"},
    ),
    ".gemspec": ManifestPatterns(
        comment=r"#.*",
        name=r"\.name[ \t]*+=[ \t]*+[\"']([\w.-]++)",
        dependencies=(r"\.add_(?:runtime_|development_)?dependency\b[ \t(]*+[\"']([\w.-]++)",),
        begins={"lib/{name}.rb": "library {name}", "exe/{name}": "command {name}", "bin/{name}": "command {name}"},
    ),
    ".csproj": ManifestPatterns(
        comment=r"<!--(?>[^-]|-(?!->))*+",
        name=r"<AssemblyName>\s*+([^<\s]++)",
        dependencies=(
            r"<(?:Package|Framework)Reference\s[^>]{0,300}?Include=\"([^\"]++)",
            r"<Project\s[^>]{0,300}?Sdk=\"([^\"]++)",
        ),
        begins={"Program.cs": "program {name}", "Program.fs": "program {name}"},
    ),
    "cmakelists.txt": ManifestPatterns(
        comment=r"#.*",
        name=r"^[ \t]*+project[ \t]*+\(\s*+([\w.+-]++)",
        dependencies=(r"(?i)^[ \t]*+(?:find_package|FetchContent_Declare|CPMAddPackage)[ \t]*+\(\s*+\"?([\w+-]++)",),
        begins={},
        builds=r"(?i)^[ \t]*+add_executable[ \t]*+\(\s*+([\w.+-]++)\s++([\w./+-]+\.\w+)",
        needs=r"(?im)^[ \t]*+project[ \t]*+\(",
    ),
    "mix.exs": ManifestPatterns(
        comment=r"#.*",
        name=r"\bapp:[ \t]*+:(\w++)",
        dependencies=(r"\{:(\w++),[ \t]*+(?:\"|[a-z_]++:)",),
        begins={"lib/{name}/application.ex": "application {name}", "lib/{name}.ex": "library {name}"},
    ),
    "package.swift": ManifestPatterns(
        comment=r"(?<!:)//.*",
        name=r"\bPackage\s*+\(\s*+name:\s*+\"([^\"]++)",
        dependencies=(r"\.package\s*+\([^)]{0,200}?url:\s*+\"[^\"]*?/([\w-]++(?:\.(?!git\")[\w-]++)*+)(?:\.git)?\"",),
        begins={"Sources/{name}/main.swift": "program {name}", "Sources/main.swift": "program {name}"},
    ),
}
"""By the end of a file's name, in lower case."""


def reader_of(end: str) -> Callable[[str, str, ProjectPaths], Facts | None]:
    patterns = PATTERNS[end]

    def read(folder: str, text: str, paths: ProjectPaths) -> Facts | None:
        code = re.sub(patterns.comment, "", text)
        if patterns.needs and not re.search(patterns.needs, code):
            return None
        named = re.search(patterns.name, code, re.MULTILINE | re.IGNORECASE)
        facts = Facts(named[1] if named else _from_file(end, folder, paths))
        for pattern in patterns.dependencies:
            facts.dependencies += re.findall(pattern, code, re.MULTILINE)
        for path, what in patterns.begins.items():
            if (found := under(folder, path.format(name=facts.name))) in paths.all:
                facts.entry_points.append(EntryPoint(found, what.format(name=facts.name)))
        for name, path in re.findall(patterns.builds, code, re.MULTILINE) if patterns.builds else ():
            if (found := under(folder, path)) in paths.all:
                facts.entry_points.append(EntryPoint(found, f"program {name}"))
        return facts

    return read


def _from_file(end: str, folder: str, paths: ProjectPaths) -> str:
    """A .NET project or a gem is named after the file, everything else after its folder."""
    files = [path for path in paths.folders.get(folder, ()) if end.startswith(".") and path.lower().endswith(end)]
    return posixpath.basename(files[0])[: -len(end)] if files else posixpath.basename(folder)
