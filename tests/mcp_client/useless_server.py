"""An MCP server that is of no use: `useless_server.py mute`, `babbling` or `broken`.

It needs no SDK, which takes a second to load.
"""

import sys
import time


def main() -> None:
    theme = sys.argv[1]
    if theme == "broken":
        sys.exit("no configuration found")
    for number in range(10**9):
        if theme == "babbling":
            sys.stdout.write(f'{number} is no JSON {{"jsonrpc"\n')
            sys.stdout.flush()
        time.sleep(0.01)


if __name__ == "__main__":
    main()
