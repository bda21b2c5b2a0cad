"""Run where a container would: the server until it answers, and the health check before and after its end.

    python served_in_container.py '["mulligan", "serve"]' '["python", "-c", "…"]'

Prints what was found as JSON.
"""

import json
import os
import subprocess
import sys


def main(server: str, check: str) -> None:
    health = json.loads(check)
    with subprocess.Popen(json.loads(server), stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        said = serving.stdout.readline()
        while_served = subprocess.run(health, check=False).returncode
        serving.terminate()
        rest = serving.stdout.read()
    after = subprocess.run(health, check=False, stderr=subprocess.DEVNULL).returncode
    found = {
        "uid": os.getuid(),
        "said": said + rest,
        "while_served": while_served,
        "ended": serving.returncode,
        "after": after,
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
