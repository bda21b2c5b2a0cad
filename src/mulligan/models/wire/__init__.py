"""The wire to model servers: one adapter per API, with errors and retries."""
