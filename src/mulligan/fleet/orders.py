"""What a worker tells the process that carries out a job."""

from mulligan.types.base import Record
from mulligan.types.fleet import JobSpec


class Order(Record):
    spec: JobSpec
    folder: str
    """Of this try: all that it makes is in there, and goes with it."""
    project: str
    """The checkout, in that folder."""
    objects: str
    """What the checkout borrows from the worker's cache; commands may read it."""
    home: str
    """The worker's own: its settings, what it knows of models."""
    environ: dict[str, str]
    """Settings that the worker was started with."""
    server: str = ""
    """Empty: as the worker's settings say."""
    model: str = ""
    api_key: str = ""
    shared: bool = False
    """Each call to the server needs a slot."""
    run_state: str = ""
    """Of the run that it goes on with."""
    work: str = ""
    """What that run had made by then, as patches."""
    network: bool = False
    unsandboxed: bool = False
    memory: int
    """Bytes that one command may have, with all that it starts."""
    processes: int
    """That one command may start."""
