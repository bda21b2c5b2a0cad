"""What a fleet keeps in PostgreSQL: jobs and what came of them, workers, model servers.

`jobs.py` changes jobs, `reading.py` shows them, `servers.py` shares out model servers, `workers.py` knows who is alive.
"""
