"""What the model of a fix run may ask for, by profile, and what it is told when it asks for more."""

from collections.abc import Collection

from mulligan.types.commands import CommandKind
from mulligan.types.fixing import Profile, ProfileName, Spent

PROFILES: dict[ProfileName, Profile] = {
    "strict": Profile(name="strict", commands=20, tests=5, installs=True, app_runs=True, coder_steps=20),
    "fast": Profile(name="fast", commands=8, tests=3, installs=False, app_runs=True, coder_steps=12),
    "smoke": Profile(name="smoke", commands=3, tests=1, installs=False, app_runs=False, coder_steps=6),
    "yolo": Profile(name="yolo", commands=15, tests=4, installs=True, app_runs=True, coder_steps=500),
}


def refuse_command(profile: Profile, spent: Spent, kinds: Collection[CommandKind]) -> str | None:
    """Why a command is skipped; None if it may run."""
    if "git" in kinds:
        # A work tree shares branches, tags and stashes with the person's repository.
        return "a fix run writes nothing into the repository. Change files; Mulligan keeps what was there before."
    if "install" in kinds and not profile.installs:
        return f"profile {profile.name} allows no installs. Work with what is there."
    if "app" in kinds and not profile.app_runs:
        return f"profile {profile.name} allows no runs of the program. Reason from the code and the tests."
    if spent.commands >= profile.commands:
        return f"the run's {profile.commands} commands are used up. Edit what is wrong; the tests run afterwards."
    if "test" in kinds and spent.tests >= profile.tests:
        return f"the run's {_tests(profile)} used up. Edit what is wrong; the tests run after your turn anyway."
    return None


def spend(spent: Spent, kinds: Collection[CommandKind]) -> Spent:
    tests = spent.tests + ("test" in kinds)
    return spent.model_copy(update={"commands": spent.commands + 1, "tests": tests})


def _tests(profile: Profile) -> str:
    return "one run of tests is" if profile.tests == 1 else f"{profile.tests} runs of tests are"
