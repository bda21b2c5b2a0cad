"""Programs that run inside a project's tests, and write down which lines each test runs.

They are put into a temporary folder, never into the project, and find there a `wanted.json`: the project's `root`, the
`failing` tests' ids, the `files` of these tests, and how many `seconds` and tests (`most`) are watched. Each test
becomes one line of a file `*.jsonl`: `test`, `passed`, `lines` by file, and `ages`: for each function that ran (by its
first line) how many calls the test made after the one in which it ran last.
"""
