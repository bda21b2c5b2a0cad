"""Programs that run inside a project's tests, and record which lines each test runs.

They are copied to a temporary folder, never into the project, next to a `wanted.json`: the project's `root`, the ids of
the `failing` tests, the `files` of these tests, and how many `seconds` and tests (`most`) to watch. Each test
becomes one line of a file `*.jsonl`: `test`, `passed`, `lines` by file, and `ages`: for each function that ran (by its
first line) how many calls the test made after the one in which it ran last.
"""
