"""Git's own diffs, read back."""

import subprocess
from pathlib import Path

from mulligan.core.diffs.patch import read_patch

TEXT = """\
diff --git a/a.py b/a.py
index 111..222 100644
--- a/a.py
+++ b/a.py
@@ -3,3 +3,4 @@ def f():
 kept
-old
+new
+--- a/fake.py
 end
\\ No newline at end of file
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
--- diff --git a/x b/x
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/one.py b/two.py
similarity index 100%
rename from one.py
rename to two.py
diff --git "a/caf\\303\\251.py" "b/caf\\303\\251.py"
new file mode 100644
--- /dev/null
+++ "b/caf\\303\\251.py"
@@ -0,0 +1 @@
+x
"""


def test_files_hunks_and_numbers() -> None:
    changed, gone, logo, renamed, cafe = read_patch(TEXT)
    assert [(line.mark, line.old, line.new, line.text) for line in changed.hunks[0]] == [
        (" ", 3, 3, "kept"),
        ("-", 4, None, "old"),
        ("+", None, 4, "new"),
        ("+", None, 5, "--- a/fake.py"),
        (" ", 5, 6, "end"),
    ]
    assert (gone.path, gone.change, gone.counts) == ("gone.py", "deleted", (0, 1))
    assert (logo.path, logo.withheld) == ("logo.png", "binary")
    assert (renamed.old_path, renamed.path, renamed.title) == ("one.py", "two.py", "renamed one.py to two.py (+0 -0)")
    assert (cafe.path, cafe.change) == ("café.py", "added")


def test_what_is_not_shown_to_a_model() -> None:
    heading = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n"
    names = (".env", "package-lock.json", "src/app.py", "node_modules/x/index.js")
    withheld = [file.withheld for file in read_patch("".join(heading.format(name) for name in names))]
    assert withheld == ["secret", "generated", None, "generated"]


def test_names_as_git_writes_them(tmp_path: Path) -> None:
    names = ("plain.py", "with space.py", 'quo"te.py', "tab\there.py", "ümläut.py", "new\nline.py")
    git = ["git", "-C", tmp_path]
    subprocess.run([*git, "init", "-q"], check=True)
    for name in names:
        (tmp_path / name).write_text("one\n")
    subprocess.run([*git, "add", "-A"], check=True)
    told = subprocess.run([*git, "diff", "--cached"], check=True, capture_output=True, text=True).stdout
    assert {file.path for file in read_patch(told)} == set(names)
    assert all(file.counts == (1, 0) for file in read_patch(told))
