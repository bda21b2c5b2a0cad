-- Jobs by the start of their id. Other collations than C do not keep what begins alike together.
-- only: postgresql
CREATE INDEX fleet_jobs_prefix ON fleet_jobs (id COLLATE "C");
