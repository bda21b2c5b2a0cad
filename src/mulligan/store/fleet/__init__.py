"""What a fleet stores in PostgreSQL: jobs and their results, workers, model servers.

`jobs.py` changes jobs, `reading.py` reads them, `servers.py` shares model servers, `workers.py` tracks live workers.
"""
