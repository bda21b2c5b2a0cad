"""Write the reference: `python -m reference [FOLDER]`, by default to `docs/reference`.

Without a folder it also writes the text of `mulligan --help` and the tool schemas to the files that a start reads.
"""

import sys
from pathlib import Path

from mulligan.cli.early_answers import HELP_FILE
from mulligan.tools.arguments import SCHEMAS
from reference.cli import whole_help
from reference.pages import FOLDER, make_pages
from reference.tools import written_schemas


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if folder == FOLDER:
        SCHEMAS.write_text(written_schemas(), encoding="utf-8")
    pages = make_pages()
    for file in folder.glob("*.md"):
        if file.name not in pages:
            file.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    if folder == FOLDER:
        Path(HELP_FILE).write_text(whole_help(), encoding="utf-8")


if __name__ == "__main__":
    main()
