"""llama.cpp through xllamacpp: an engine for `child`."""

import importlib
import json
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from mulligan.models.embedded.machine import Machine, MemoryPlan, plan_memory, threads_for
from mulligan.models.embedded.run_files import EngineRefused, ServeOrder

BATCH = 256
"""Tokens of a prompt to read at once. llama.cpp only notices between two batches that a client disconnected."""
PROMPT_CACHE_MIB = 512
"""Memory for cached prompt prefixes. By default, llama.cpp would take up to 8 GB."""
STATUS_SECONDS = 2.0
"""Seconds to wait for the server's status. It is silent only while it reads a prompt."""


def start(order: ServeOrder) -> "LlamaEngine":
    """Load the model, which takes seconds, and serve it."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    machine = Machine()
    plan = _planned(order, machine.free_memory())
    parameters = _parameters(xllamacpp, order, plan, threads_for(machine.cores()))
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise EngineRefused(f"llama.cpp could not load {order.model}: {error}") from error
    port = urlsplit(str(server.listening_address)).port
    if port is None:
        raise EngineRefused(f"llama.cpp listens at an unknown place: {server.listening_address}")
    return LlamaEngine(port, plan.context, order.api_key, server)


@dataclass(frozen=True, slots=True)
class LlamaEngine:
    port: int
    context: int
    api_key: str = field(repr=False)
    server: Any
    """It serves as long as it is referenced."""

    def busy(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=STATUS_SECONDS)
        try:
            connection.request("GET", "/slots", headers={"Authorization": f"Bearer {self.api_key}"})
            slots = json.loads(connection.getresponse().read())
        except (TimeoutError, HTTPException):
            return True
        finally:
            connection.close()
        return any(slot["is_processing"] for slot in slots)


def _planned(order: ServeOrder, free: int | None) -> MemoryPlan:
    try:
        size = order.model.stat().st_size
    except OSError as error:
        raise EngineRefused(f"{order.model} can't be read: {error.strerror}") from error
    plan = plan_memory(size, order.context, free)
    if plan is None:
        raise EngineRefused(
            f"not enough memory: {order.model.name} takes {size / 1e9:.1f} GB and more to work with, and "
            f"{(free or 0) / 1e9:.1f} GB are free. Close some programs, or choose a smaller model"
        )
    return plan


def _parameters(xllamacpp: Any, order: ServeOrder, plan: MemoryPlan, threads: int) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(order.model)
    parameters.model_alias = {order.id}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    # Any page in a browser on this machine can reach the port; without the key it gets nothing.
    parameters.api_keys = [order.api_key]
    parameters.ui = False
    parameters.endpoint_slots = True
    parameters.use_jinja = True
    parameters.n_ctx = plan.context
    parameters.n_parallel = 1
    parameters.n_batch = BATCH
    parameters.n_ubatch = BATCH
    parameters.cache_ram_mib = PROMPT_CACHE_MIB
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    if plan.compact_cache:
        parameters.cache_type_k = xllamacpp.ggml_type.GGML_TYPE_Q8_0
        parameters.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_Q8_0
    return parameters
