"""Workers of a fleet: `worker.py` takes jobs from the queue, `job_try.py` runs one in a separate process, which is
`job_process.py`: it has no database and no keys except the model server's."""
