"""Workers of a fleet: `worker.py` takes jobs from the queue, `attempt.py` runs one in a separate process, which is
`attempt_process.py`: it has no database and no keys except the model server's."""
