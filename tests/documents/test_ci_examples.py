"""The examples for CI do what they say: their own shell steps, on a real repository, with a scripted model."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mulligan.models.scripted.script import Script
from tests.documents.installing import ROOT
from tests.scripted_server import running

EXAMPLES = ROOT / "docs" / "examples" / "ci"
FIXES = (Path(__file__).parent / "scripts" / "fixes-the-fine.json").read_text(encoding="utf-8")
GIVES_UP = '{"replies": [{"text": "I can not do that."}], "then": "repeat_last"}'
_EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=ci", "-c", "user.email=ci@localhost", *words], cwd=folder, check=True)


@dataclass
class Runner:
    """A machine that checks a commit out and runs steps, as CI does."""

    home: Path
    checkout: Path
    outputs: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def with_red_build(cls, home: Path) -> "Runner":
        checkout = home / "checkout"
        shutil.copytree(ROOT / "examples" / "library", checkout, ignore=shutil.ignore_patterns("__pycache__"))
        git(checkout, "init", "-q")
        git(checkout, "add", "-A")
        git(checkout, "commit", "-qm", "A library with a bug")
        return cls(home, checkout)

    def run(self, script: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MULLIGAN_", "GIT_"))}
        programs = Path(sys.executable).parent
        known = {"HOME": str(self.home), "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no"}
        whole = {**kept, **known, "PATH": f"{programs}:{os.environ['PATH']}", **env}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.checkout,
            env=whole,
            capture_output=True,
            text=True,
            check=False,
        )

    def applies(self, patch: Path) -> bool:
        """Whether the commit that failed is green with it."""
        git(self.checkout, "reset", "-q", "--hard")
        git(self.checkout, "apply", str(patch))
        return self.run("python3 -m unittest", {}).returncode == 0


def play_action(runner: Runner, inputs: dict[str, str]) -> dict[str, Any]:
    """Run the steps of the composite action that are shell, and return what its outputs would be."""
    action = yaml.safe_load((EXAMPLES / "mulligan-fix" / "action.yml").read_text(encoding="utf-8"))
    assert inputs.keys() <= action["inputs"].keys()
    values = {f"inputs.{name}": each["default"] for name, each in action["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    values["runner.temp"] = str(runner.home / "temp")
    output = runner.home / "output"
    for step in action["runs"]["steps"]:
        if "run" not in step:
            continue
        env = {name: _EXPRESSION.sub(lambda found: values[found[1]], text) for name, text in step["env"].items()}
        env |= {"GITHUB_OUTPUT": str(output), "GITHUB_ACTION_PATH": str(EXAMPLES / "mulligan-fix")}
        done = runner.run(step["run"], env)
        assert done.returncode == 0, done.stderr
    return dict(line.split("=", 1) for line in output.read_text().splitlines())


def test_the_action_leaves_a_patch_that_makes_the_build_green(tmp_path: Path) -> None:
    runner = Runner.with_red_build(tmp_path)
    (runner.checkout / "build.log").write_text("left behind by the build\n")
    with running(Script.model_validate_json(FIXES)) as server:
        inputs = {"verify": "python3 -m unittest", "base-url": server.base_url, "model": "m"}
        assert play_action(runner, inputs) == {"verdict": "verified"}
    made = tmp_path / "temp" / "mulligan-fix"
    patch = (made / "fix.patch").read_text()
    assert "+" in patch
    assert "build.log" not in patch
    assert "verified" in (made / "report.md").read_text()
    assert '"run_end"' in (made / "run.jsonl").read_text()
    assert runner.applies(made / "fix.patch")


def test_a_build_that_is_not_fixed_keeps_the_report(tmp_path: Path) -> None:
    runner = Runner.with_red_build(tmp_path)
    with running(Script.model_validate_json(GIVES_UP)) as server:
        inputs = {"verify": "python3 -m unittest", "base-url": server.base_url, "model": "m"}
        assert play_action(runner, inputs) == {"verdict": "failed"}
    made = tmp_path / "temp" / "mulligan-fix"
    assert (made / "fix.patch").read_text() == ""
    assert "failed" in (made / "report.md").read_text()


def test_the_workflow_uses_the_action_as_it_is() -> None:
    action = yaml.safe_load((EXAMPLES / "mulligan-fix" / "action.yml").read_text(encoding="utf-8"))
    workflow = yaml.safe_load((EXAMPLES / "github-workflow.yml").read_text(encoding="utf-8"))
    (used,) = [step for step in workflow["jobs"]["test"]["steps"] if "mulligan-fix" in step.get("uses", "")]
    assert used["with"].keys() <= action["inputs"].keys()
    assert used["if"] == "failure()"


def test_the_job_for_gitlab_leaves_the_same_patch(tmp_path: Path) -> None:
    runner = Runner.with_red_build(tmp_path)
    jobs = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text(encoding="utf-8"))
    (runner.checkout / "ci").mkdir()
    shutil.copy2(EXAMPLES / "mulligan-fix" / "fix-red-build.sh", runner.checkout / "ci")
    git(runner.checkout, "add", "-A")
    git(runner.checkout, "commit", "-qm", "The recipe")
    assert runner.run("\n".join(jobs["test"]["script"]), {}).returncode == 1
    job = jobs["fix"]
    known = {"$CI_PROJECT_DIR": str(runner.checkout)}
    variables = {name: re.sub(r"\$\w+", lambda found: known[found[0]], text) for name, text in job["variables"].items()}
    with running(Script.model_validate_json(FIXES)) as server:
        env = {**variables, "MULLIGAN_BASE_URL": server.base_url, "MULLIGAN_MODEL": "m"}
        done = runner.run("\n".join(job["script"]), env)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "verdict=verified")
    assert runner.run("\n".join(job["after_script"]), {}).returncode == 0
    (artifact,) = job["artifacts"]["paths"]
    patch = tmp_path / "kept.patch"
    shutil.copy2(runner.checkout / artifact / "fix.patch", patch)
    assert runner.applies(patch)


def test_the_recipe_says_what_it_needs(tmp_path: Path) -> None:
    runner = Runner.with_red_build(tmp_path)
    done = runner.run(str(EXAMPLES / "mulligan-fix" / "fix-red-build.sh"), {})
    assert done.returncode != 0
    assert "MULLIGAN_OUT" in done.stderr
