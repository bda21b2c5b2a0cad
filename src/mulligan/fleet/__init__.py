"""Workers of a fleet: `worker.py` takes jobs from the queue, `attempt.py` carries one out in a process of its own,
which is `attempt_process.py`: it has no database and no keys but the model server's."""
