"""What a model may take of the machine."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.embedded.machine import MIN_CONTEXT, Machine, MemoryPlan, plan_memory, threads_for

GB = 1_000_000_000
SMALL = 1_117_320_768


@pytest.mark.parametrize(
    ("free", "plan"),
    [
        pytest.param(None, MemoryPlan(8192, compact_cache=False), id="unknown: as wanted"),
        pytest.param(8 * GB, MemoryPlan(8192, compact_cache=False), id="plenty"),
        pytest.param(int(1.7 * GB), MemoryPlan(8192, compact_cache=True), id="the cache must shrink"),
        pytest.param(int(1.6 * GB), MemoryPlan(4096, compact_cache=True), id="the context must shrink"),
        pytest.param(int(1.55 * GB), MemoryPlan(2048, compact_cache=True), id="the smallest"),
        pytest.param(int(1.5 * GB), None, id="too little"),
    ],
)
def test_the_context_is_fitted_to_the_memory(free: int | None, plan: MemoryPlan | None) -> None:
    assert plan_memory(SMALL, 8192, free) == plan


@given(size=st.integers(1, 10**11), context=st.integers(MIN_CONTEXT, 10**6), free=st.integers(0, 10**12))
def test_more_memory_never_means_less_context(size: int, context: int, free: int) -> None:
    less, more = plan_memory(size, context, free), plan_memory(size, context, free * 2)
    assert (more.context if more else 0) >= (less.context if less else 0)
    assert less is None or MIN_CONTEXT <= less.context <= context


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 2), (3, 2), (8, 7)])
def test_one_core_of_several_stays_free(cores: int, threads: int) -> None:
    assert threads_for(cores) == threads


def made_of(root: Path, files: dict[str, str], processors: int = 4) -> Machine:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Machine(root, processors=lambda: set(range(processors)))


TWINS = {f"sys/devices/system/cpu/cpu{n}/topology/thread_siblings_list": f"{n // 2 * 2}-{n // 2 * 2 + 1}\n" for n in range(4)}  # fmt: skip  # noqa: E501
MEMINFO = "MemTotal:       8000000 kB\nMemFree:  1 kB\nMemAvailable:   4000000 kB\n"


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        pytest.param({}, 4, id="nothing known: every processor"),
        pytest.param(TWINS, 2, id="two threads a core"),
        pytest.param({"sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1, id="a container with one and a half"),
        pytest.param({"sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1, id="a container with half a core"),
        pytest.param({"sys/fs/cgroup/cpu.max": "max 100000\n"}, 4, id="a container without a limit"),
    ],
)
def test_physical_cores_are_counted(tmp_path: Path, files: dict[str, str], cores: int) -> None:
    assert made_of(tmp_path, files).cores() == cores


@pytest.mark.parametrize(
    ("files", "free"),
    [
        pytest.param({}, None, id="nothing known"),
        pytest.param({"proc/meminfo": MEMINFO}, 4_096_000_000, id="available"),
        pytest.param(
            {
                "proc/meminfo": MEMINFO,
                "sys/fs/cgroup/memory.max": "2000\n",
                "sys/fs/cgroup/memory.current": "1500\n",
                "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 300\n",
            },
            800,
            id="a container with a limit",
        ),
        pytest.param(
            {
                "proc/meminfo": MEMINFO,
                "sys/fs/cgroup/memory.max": "max\n",
                "sys/fs/cgroup/memory.current": "1500\n",
            },
            4_096_000_000,
            id="a container without a limit",
        ),
    ],
)
def test_free_memory_is_what_can_be_had(tmp_path: Path, files: dict[str, str], free: int | None) -> None:
    assert made_of(tmp_path, files).free_memory() == free
