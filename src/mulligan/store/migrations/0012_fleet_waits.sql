-- How often in a row a job was given back because its model server failed; 0 once its run gets any further.
-- only: postgresql
ALTER TABLE fleet_jobs ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
