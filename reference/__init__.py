"""The pages under `docs/reference`, made from the code: `make reference`."""
