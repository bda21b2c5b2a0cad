import pytest

from mulligan.cli.commands.drill_selection import known_names, select_faults
from mulligan.drill.fault import Fault, Group
from mulligan.types.errors import ConfigurationError


def fault(name: str, group: Group) -> Fault:
    return Fault(name, f"the fault {name}", (), (), group=group)


GALLERY = (fault("same-call", "loops"), fault("cycle", "loops"), fault("hopeless", "fix runs"))


@pytest.mark.parametrize(
    ("names", "played"),
    [
        pytest.param([], ["same-call", "cycle", "hopeless"], id="none: all"),
        pytest.param(["cycle"], ["cycle"], id="a fault"),
        pytest.param(["loops"], ["same-call", "cycle"], id="a group"),
        pytest.param(["fix-runs"], ["hopeless"], id="a group of two words, as one"),
        pytest.param(["fix runs"], ["hopeless"], id="a group of two words"),
        pytest.param(["Same_Call"], ["same-call"], id="written otherwise"),
        pytest.param(["hopeless", "cycle", "cycle"], ["cycle", "hopeless"], id="several: in the gallery's order, once"),
    ],
)
def test_faults_are_chosen_by_name_and_by_group(names: list[str], played: list[str]) -> None:
    assert [each.name for each in select_faults(GALLERY, names)] == played


def test_an_unknown_name_is_refused_with_the_nearest_ones_and_where_all_are_listed() -> None:
    with pytest.raises(
        ConfigurationError, match=r"no fault or group 'same-cal'; similar: same-call; `mulligan drill --list`"
    ):
        select_faults(GALLERY, ["cycle", "same-cal"])


def test_a_name_that_is_near_to_none_gets_no_guesses() -> None:
    with pytest.raises(ConfigurationError, match=r"no fault or group 'xyzzy'; `mulligan drill --list`"):
        select_faults(GALLERY, ["xyzzy"])


def test_names_to_choose_from_are_the_groups_then_the_faults() -> None:
    assert known_names(GALLERY) == ["loops", "fix-runs", "same-call", "cycle", "hopeless"]
