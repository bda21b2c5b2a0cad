"""What runners of Ruby, PHP, Java, .NET, C, Elixir and Swift print around a failure."""

import re
from collections.abc import Mapping

from mulligan.core.failures.readers.block_output import RunnerFormat

INDENTED = r"(?! {4})\s*\S"
"""A failure is indented: a line that is not ends it."""

FORMATS: Mapping[str, RunnerFormat] = {
    "rspec": RunnerFormat(
        totals=re.compile(
            r"(?P<ran>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?"
            r"(?:, (?P<errors>\d+) errors? occurred outside of examples)?$"
        ),
        opens=re.compile(r"Failures:$"),
        heading=re.compile(r"  \d+\) (?P<name>\S.*)$"),
        ends=re.compile(r"(?:Finished in|Pending:|Failed examples:)"),
        location=re.compile(r"# (\S+\.rb):\d+"),
        compared=re.compile(r"\s*((?:expected|got): .*)$"),
        aside=re.compile(r"\s*# |\s+rspec \./"),
        source=re.compile(r"\s*Failure/Error:"),
        unloaded=re.compile(r"An error occurred while loading (?P<path>\S+?)\.(?: |$)"),
    ),
    "minitest": RunnerFormat(
        totals=re.compile(
            r"(?P<ran>\d+) runs, \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors,"
            r" (?P<skipped>\d+) skips$"
        ),
        opens=re.compile(r"(?: +\d+\) )?(?:Failure|Error):$"),
        heading=re.compile(r"(?P<scope>[A-Z][^#]*)#(?P<name>test_.*?)(?: \[(?P<path>[^\]]+):\d+\])?:$"),
        ends=re.compile(r"(?: +\d+\) )?Skipped:$|(?:bin/)?rails test |Finished in |\d+ runs, "),
        between="#",
        location=re.compile(r"^\s+(\S+\.rb):\d+:in "),
        compared=re.compile(r"\s*((?:Expected|Actual): .*)$"),
    ),
    "test-unit": RunnerFormat(
        totals=re.compile(
            r"(?P<ran>\d+) tests, \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors, \d+ pendings,"
            r" (?P<skipped>\d+) omissions, \d+ notifications$"
        ),
        heading=re.compile(r"(?:Failure|Error): (?P<name>test.*?)\((?P<scope>[\w:]+)\)(?::(?P<message>.*))?$"),
        ends=re.compile(r"={70,}$"),
        between="#",
        location=re.compile(r"^(\S+\.rb):\d+:in "),
        aside=re.compile(r"\S+\.rb:\d+:in |\s+(?:=> )?\d+: "),
    ),
    "phpunit": RunnerFormat(
        totals=re.compile(
            r"OK \((?P<passed>\d+) tests?, |Tests: (?P<ran>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?"
            r"(?:, Failures: (?P<failed>\d+))?(?:, [A-Z][\w ]+: \d+)*?(?:, Skipped: (?P<skipped>\d+))?"
            r"(?:, [A-Z][\w ]+: \d+)*\.$"
        ),
        opens=re.compile(r"There (?:was|were) \d+ (?:error|failure)s?:$"),
        heading=re.compile(
            r"\d+\) (?P<scope>[\w\\]+)::(?P<name>\w+(?: with data set (?:\"[^\"]*\"|#\d+))?)(?: \(.*\))?$"
        ),
        ends=re.compile(r"--$|(?:ERRORS|FAILURES|WARNINGS)!$|Tests: |There (?:was|were) \d+ "),
        between="::",
        location=re.compile(r"^(\S+\.php):\d+$"),
        unloaded=re.compile(
            r"(?:PHP )?(?:Fatal|Parse) error: +(?:Uncaught )?(?P<message>.*?) in (?P<path>\S+\.php)(?::| on line )\d+$"
        ),
        sign=re.compile(r"(?i).*phpunit"),
        unloads_all=True,
    ),
    "laravel": RunnerFormat(
        totals=re.compile(
            r"\s+Tests: +(?:(?P<failed>\d+) failed(?:, | \())?(?:\d+ [a-z]+, )*?(?:(?P<skipped>\d+) skipped(?:, | \())?"
            r"(?:(?P<passed>\d+) passed \()?\d+ assertions?\)$"
        ),
        heading=re.compile(r"\s+FAILED  (?P<scope>\S+) > (?P<name>\S.*?)(?: {2,}\S+)?$"),
        ends=re.compile(r"\s+─{5,}|\s+Tests: "),
        between=" > ",
        location=re.compile(r"^\s+(?:at|\d+) +(\S+\.php):\d+$"),
    ),
    "gradle": RunnerFormat(
        totals=re.compile(
            r"(?P<ran>\d+) tests? completed(?:, (?P<failed>\d+) failed)?(?:, (?P<skipped>\d+) skipped)?$"
        ),
        heading=re.compile(r"(?P<scope>[\w.$]+(?: > \S.*?)?) > (?P<name>\S.*?)(?:\(\))? FAILED$"),
        ends=re.compile(INDENTED),
        location=re.compile(r" at (\w+\.(?:java|kt|scala|groovy)):\d+$|\((\w+\.(?:java|kt|scala|groovy)):\d+\)$"),
        aside=re.compile(r"\s+at "),
        by_package=True,
    ),
    "dotnet": RunnerFormat(
        totals=re.compile(
            r"(?:Failed|Passed|Skipped)! +- Failed: +(?P<failed>\d+), Passed: +(?P<passed>\d+),"
            r" Skipped: +(?P<skipped>\d+),"
        ),
        heading=re.compile(r"\s+Failed (?P<scope>[\w.+`]+)\.(?P<name>[^\s.(]+(?:\(.*\))?) \[[^\]]*\]$"),
        ends=re.compile(r"\s+(?:Passed|Skipped) \S|(?:Failed|Passed|Skipped)! |Test Run |Total tests: "),
        location=re.compile(r" in (\S.*):line \d+$"),
        compared=re.compile(r"\s*((?:Expected|Actual|But was): .*)$"),
        aside=re.compile(r"\s*(?:Error Message|Stack Trace):$|\s+at "),
    ),
    "ctest": RunnerFormat(
        totals=re.compile(r"\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<ran>\d+)$"),
        heading=re.compile(r" *\d+/\d+ +Test +#\d+: (?P<name>\S.*?) \.*(?P<outcome>[\w ]*\*\*\*.*?) +[\d.]+ sec$"),
        ends=re.compile(r"\s+Start +\d+: | *\d+/\d+ +Test +#\d+: |\d+% tests passed, "),
        location=re.compile(r"(?:^|\s)(\S+\.(?:c|cc|cpp|cxx|m|mm|h|hpp)):\d+: "),
        compared=re.compile(r"\s+(Which is: .*)$"),
        aside=re.compile(r"\[|Running main\(\)|Note: Google Test|\S+:\d+: Failure$| \d+ FAILED TESTS?$"),
    ),
    "mix": RunnerFormat(
        totals=re.compile(
            r"(?:\d+ (?:doctests?|propert(?:y|ies)), )*(?P<ran>\d+) tests?, (?P<failed>\d+) failures?"
            r"(?:, (?P<excluded>\d+) excluded)?(?:, (?P<errors>\d+) invalid)?(?:, (?P<skipped>\d+) skipped)?$"
        ),
        heading=re.compile(r"  \d+\) (?P<name>(?:test|property|doctest) .*) \((?P<scope>[\w.]+)\)$"),
        ends=re.compile(r"(?! {4}|\*\* )\s*\S"),
        between=": ",
        location=re.compile(r"^ {5}(\S+\.exs?):\d+$"),
        compared=re.compile(r"\s+((?:left|right): .*)$"),
        aside=re.compile(r" {5}\S+\.exs?:\d+$| {5}code: "),
        unloaded=re.compile(r"== Compilation error in file (?P<path>\S+) ==$"),
        unloads_all=True,
    ),
    "xctest": RunnerFormat(
        totals=re.compile(  # it counts failed assertions, not failed tests
            r"\s*Executed (?P<ran>\d+) tests?, with (?:(?P<skipped>\d+) tests? skipped and )?\d+ failures?"
        ),
        heading=re.compile(
            r"(?P<path>\S+\.swift):\d+: error: (?:-\[)?(?P<scope>[\w.]+)[. ](?P<name>\w+)\]? : (?P<message>.*)$"
        ),
        ends=re.compile(r"Test (?:Case|Suite) "),
        counts_once=True,
    ),
    "swift-testing": RunnerFormat(
        totals=re.compile(r"\W+ Test run with (?P<ran>\d+) tests? (?:in \d+ suites? )?(?:passed|failed) after "),
        heading=re.compile(
            r"\W+ Test (?P<name>\"[^\"]*\"|\w+\(.*?\)) (?:with .* )?recorded an issue at (?P<path>\S+\.swift):\d+:\d+:"
            r" (?P<message>.*)$"
        ),
        ends=re.compile(r"\W+ (?:Test|Suite) "),
        counts_once=True,
    ),
}
"""By their names in `syntax/languages`. Pest uses Laravel's."""
