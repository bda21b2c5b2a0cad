"""Programs that run inside a project's tests: most record which lines each test runs.

They are copied to a temporary folder, never into the project, next to a `wanted.json`: the project's `root`, the ids of
the `failing` tests, the `files` of these tests, and how many `seconds` and tests (`most`) to watch. Each test
that passed or failed, rather than being skipped or expected to fail, becomes one line of a file `*.jsonl`: `test`,
`passed`, `lines` by file, and `ages`: for each function that ran (by its first line) how many calls the test made after
the one in which it ran last.

Those that test many versions of a file get `texts` (a path and its content as Latin-1), the `seconds` for each, for all
of them `together`, how much output to keep of each (`most`), and the only test `files` to run, if an earlier run told
them (in a line with `files`). Each version becomes one line of `results.jsonl`:
`exit_code` (null if it did not end in time), `seconds`, `stdout` and `stderr`.
"""
