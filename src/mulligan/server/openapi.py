"""The description of the API as a file: `python -m mulligan.server.openapi > openapi.json`."""

import json
import sys

from mulligan.server.app import make_app


def main() -> None:
    sys.stdout.write(json.dumps(make_app().openapi(), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
