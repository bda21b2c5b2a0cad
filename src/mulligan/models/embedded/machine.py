"""The machine's resources for a model: cores and memory."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

MIN_CONTEXT = 2048
CACHE_SHARE = 39_000
"""The cache of one token takes this part of the model file's size, at 16 bits: 1/39,000 for Qwen2.5-Coder 1.5B and 0.5B
at Q4_K_M, less for larger models."""
WORKING_MEMORY = 400_000_000
"""Bytes that llama.cpp needs besides the model and the cache."""


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    context: int
    """Tokens."""
    compact_cache: bool
    """Keep the cache at 8 bits instead of 16: half the memory, a little slower."""


def plan_memory(model_bytes: int, context: int, free: int | None) -> MemoryPlan | None:
    """The largest context up to the requested one that fits; None if the model doesn't fit at all."""
    if free is None:
        return MemoryPlan(context, compact_cache=False)
    for_cache = free - model_bytes - WORKING_MEMORY
    per_token = max(1, model_bytes // CACHE_SHARE)
    if for_cache >= context * per_token:
        return MemoryPlan(context, compact_cache=False)
    while for_cache < context * per_token // 2:
        if context <= MIN_CONTEXT:
            return None
        context = max(MIN_CONTEXT, context // 2)
    return MemoryPlan(context, compact_cache=True)


def threads_for(cores: int) -> int:
    """All of two cores, else all but one.

    On two cores a second thread writes 1.8 times as fast. With another busy process it would be better to leave it out,
    but while a model answers, Mulligan itself waits.
    """
    return cores if cores <= 2 else cores - 1


def _usable_processors() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine, or the part of it that a container gives us."""

    root: Path = Path("/")
    processors: Callable[[], set[int]] = field(default=_usable_processors)

    def cores(self) -> int:
        """Physical cores that this process may use: the second thread of a core adds nothing to arithmetic."""
        topology = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
        found = {self._read(topology.format(number)) or str(number) for number in self.processors()}
        quota = self._processor_quota()
        return max(1, min(len(found), quota) if quota else len(found))

    def free_memory(self) -> int | None:
        """Bytes available without taking them from others; None if the system doesn't report it."""
        known = [free for free in (self._available(), self._left_in_container()) if free is not None]
        return min(known, default=None)

    def total_memory(self) -> int | None:
        return self._meminfo("MemTotal")

    def _available(self) -> int | None:
        return self._meminfo("MemAvailable")

    def _meminfo(self, key: str) -> int | None:
        for line in (self._read("proc/meminfo") or "").splitlines():
            name, _, value = line.partition(":")
            if name == key:
                return int(value.split()[0]) * 1024
        return None

    def _left_in_container(self) -> int | None:
        limit = self._read("sys/fs/cgroup/memory.max") or "max"
        used = self._read("sys/fs/cgroup/memory.current")
        if not limit.isdecimal() or used is None:
            return None
        statistics = dict(line.split(" ", 1) for line in (self._read("sys/fs/cgroup/memory.stat") or "").splitlines())
        # Cached files count as used.
        return max(0, int(limit) - int(used) + int(statistics.get("inactive_file", "0")))

    def _processor_quota(self) -> int | None:
        match (self._read("sys/fs/cgroup/cpu.max") or "").split():
            case [quota, period] if quota.isdecimal():
                return max(1, int(quota) // int(period))
            case _:
                return None

    def _read(self, path: str) -> str | None:
        try:
            return (self.root / path).read_text(encoding="utf-8").strip()
        except OSError:
            return None
