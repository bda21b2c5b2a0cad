import subprocess
import sys


def test_the_sdk_is_not_imported_before_an_agent_is_started() -> None:
    code = "import mulligan.backends.acp, sys; print('acp' in sys.modules)"

    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout

    assert output == "False\n"
