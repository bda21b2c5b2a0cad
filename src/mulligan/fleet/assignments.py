"""What a worker sends to the process that runs a job."""

from mulligan.types.base import Record
from mulligan.types.fleet import JobSpec


class JobAssignment(Record):
    spec: JobSpec
    folder: str
    """The folder of this try: everything it makes is in there, and is deleted with it."""
    project: str
    """The checkout, in that folder."""
    objects: str
    """What the checkout borrows from the worker's cache; commands may read it."""
    home: str
    """The worker's own folder: its settings, its facts about models."""
    environ: dict[str, str]
    """Settings that the worker was started with."""
    server: str = ""
    """Empty: as in the worker's settings."""
    model: str = ""
    api_key: str = ""
    shared: bool = False
    """Each call to the server needs a slot."""
    run_state: str = ""
    """The state of the run to resume."""
    work: str = ""
    """The changes that this run has made so far, as patches."""
    network: bool = False
    unsandboxed: bool = False
    memory: int
    """Bytes that one command may use, with everything it starts."""
    processes: int
    """Maximum number of processes that one command may start."""
