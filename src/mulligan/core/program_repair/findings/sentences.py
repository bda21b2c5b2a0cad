"""What was noticed, in words for a model and for people."""

from mulligan.core.program_repair.findings.finding import (
    ChangedCopy,
    ChangedInLoop,
    Finding,
    MissingImport,
    Misspelt,
    NoReturn,
    NoReturnOfCallback,
    Odd,
    ShadowedVariable,
    SharedDefault,
    UndefinedName,
    UnusedParameter,
    UnusedVariable,
)

ODD = {
    "no effect": "`{}` has no effect, its result is not used",
    "always true": "`{}` is always true",
    "always false": "`{}` is always false",
    "gives none": "`.{}()` gives None, not the list",
    "ends loop": "`{}` stands in the loop and ends it in the first round",
    "no template": "`{}` is not filled in: it is no template",
    "sets for adds": "`{}` sets a value, it does not add to it",
    "sets for compares": "`{}` sets a value, it does not compare",
    "sorts as text": "`{}` sorts as text, numbers too",
    "goes over keys": "`{}` goes over keys, not over values",
    "compares with NaN": "`{}` is always the same: NaN equals nothing",
}


def import_statement(finding: MissingImport) -> str:
    """Of Python."""
    return f"from {finding.module} import {finding.name}" if finding.module else f"import {finding.name}"


def sentence(finding: Finding) -> str:  # noqa: C901, PLR0912 (a sentence for each)
    match finding:
        case MissingImport(name=name):
            return f"`{name}` is not imported: `{import_statement(finding)}` is missing"
        case UndefinedName(name=name, meant=meant):
            if not meant:
                return f"`{name}` is not defined or imported"
            return (
                f"`{name}` is not defined here, `{meant}` is"
                if "." in meant
                else f"`{name}` is not defined; `{meant}` is"
            )
        case Misspelt(what="key", name=name, meant=meant):
            return f"the key {name!r} is nearly {meant!r}"
        case Misspelt(what="attribute", name=name, meant=meant):
            return f"`.{name}` is defined nowhere; `.{meant}` is"
        case Misspelt(name=name, meant=meant):
            return f"`{name}` is nearly `{meant}`"
        case UnusedParameter(name=name):
            return f"the parameter `{name}` is never used"
        case UnusedVariable(name=name, is_field=is_field):
            return f"the variable `{name}` is never used{f'; is `self.{name}` meant?' if is_field else ''}"
        case NoReturn(function=name, sometimes=True):
            return f"`{name}` returns a value on some paths only, else nothing"
        case NoReturn(function=name):
            return f"`{name}` returns nothing, but its result is used"
        case NoReturnOfCallback(method=method):
            return f"the function given to `.{method}()` returns nothing"
        case SharedDefault(name=name, default=default):
            return f"the default `{name}={default}` is shared by all calls"
        case ChangedInLoop(name=name):
            return f"`{name}` is changed while the loop goes over it"
        case ShadowedVariable(name=name):
            return f"`{name}` is a new variable in this block, not the one outside"
        case ChangedCopy(receiver=receiver):
            return f"the receiver `{receiver}` is a copy, so that what is set in it is lost"
        case Odd(what=what, code=code):
            return ODD[what].format(code)
