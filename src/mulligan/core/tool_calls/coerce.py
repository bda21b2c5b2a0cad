"""Fits an object to a tool's schema: fixes what has one right answer, and reports the rest."""

import re
from dataclasses import dataclass, field
from typing import Any, cast

from mulligan.core.tool_calls.almost_json import MAX_DEPTH
from mulligan.core.tool_calls.parse import Unreadable, parse_json
from mulligan.core.tool_calls.rename import match_arguments
from mulligan.core.tool_calls.scalars import as_boolean, as_integer, as_number, as_string, breach
from mulligan.core.tool_calls.schema import allows_null, choices, describe, options, properties, required
from mulligan.types.tool_calls import JsonObject

Where = tuple[str | int, ...]
"""The path to a value from the arguments down: names, and positions in lists."""

_SCALARS = {
    "integer": (as_integer, "coerced_number"),
    "number": (as_number, "coerced_number"),
    "boolean": (as_boolean, "coerced_boolean"),
    "string": (as_string, "coerced_string"),
}
_JSON_LIST = re.compile(r"""\[\s*["'{\[]""")
"""How text begins that is meant as a list. `[a-z]` is not: that is a pattern, a single value."""
_MAX_UNIONS = 4
"""How deep to try unions within unions: each level multiplies the work."""


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    where: Where
    what: str
    """What is wrong, to follow the argument's name."""
    values: tuple[Any, ...] = ()
    """The offending value, if there is one."""


@dataclass(frozen=True, slots=True)
class FittedArguments:
    arguments: JsonObject
    """Only valid if there are no problems."""
    repairs: tuple[str, ...]
    problems: tuple[ArgumentProblem, ...]
    unknown: tuple[str, ...]
    """Arguments that were dropped because the schema doesn't have them."""


def fit_arguments(
    arguments: JsonObject, schema: JsonObject, *, as_named: bool = False, open_objects: bool = False
) -> FittedArguments:
    """With `as_named`, no argument is renamed or dropped: an unknown one is a problem.

    With `open_objects`, unknown ones are kept unless the schema forbids them, as in JSON Schema.
    """
    fitter = _Fitter(schema, as_named=as_named, open_objects=open_objects)
    fitted = fitter.fit_object(arguments, schema, ())
    return FittedArguments(fitted, tuple(fitter.repairs), tuple(fitter.problems), tuple(fitter.unknown))


@dataclass(slots=True)
class _Fitter:
    root: JsonObject
    as_named: bool = False
    open_objects: bool = False
    unions: int = 0
    """How many unions are around this one."""
    repairs: list[str] = field(default_factory=list[str])
    problems: list[ArgumentProblem] = field(default_factory=list[ArgumentProblem])
    unknown: list[str] = field(default_factory=list[str])

    def fit_object(self, given: JsonObject, schema: JsonObject, where: Where) -> JsonObject:
        own, needed = properties(schema), required(schema)
        others = schema.get("additionalProperties", self.open_objects or "properties" not in schema)
        renamed = {} if self.as_named else match_arguments(list(given), list(own), needed)
        self.repairs += ["renamed_argument"] * bool(renamed)
        fitted: JsonObject = {}
        for key, value in given.items():
            name = renamed.get(key, key)
            if name not in own and not others:
                self._drop(key, where)
            elif value is None and name in own and name not in needed and not allows_null(own[name], self.root):
                self.repairs.append("dropped_null")
            else:
                fitted[name] = self.fit(value, own.get(name, others), (*where, name))
        for name in needed:
            if name not in fitted:
                self.problems.append(ArgumentProblem((*where, name), "is missing"))
        return fitted

    def fit(self, value: Any, schema: object, where: Where) -> Any:
        if len(where) > MAX_DEPTH:
            return self._refuse(where, "is nested too deep", value)
        allowed = options(schema, self.root)
        somethings = [each for each in allowed if each.get("type") != "null"]
        if len(somethings) < len(allowed):
            if value is None:
                return None
            if _says_null(value) and not any(each.get("type") in ("string", None) for each in somethings):
                self.repairs.append("coerced_null")
                return None
            if not somethings:
                return self._refuse(where, "must be null", value)
        if len(somethings) > 1:
            return self._fit_best(value, somethings, where)
        return self.fit_one(value, somethings[0], where) if somethings else value

    def _fit_best(self, value: Any, allowed: list[JsonObject], where: Where) -> Any:
        """The member of a union that takes the value with the fewest repairs, the first of equals."""
        if self.unions == _MAX_UNIONS:
            return self._refuse(where, "is nested too deep", value)
        trials = [_Fitter(self.root, self.as_named, self.open_objects, self.unions + 1) for _ in allowed]
        fitted = [trial.fit_one(value, each, where) for trial, each in zip(trials, allowed, strict=True)]
        best = min(range(len(trials)), key=lambda index: (bool(trials[index].problems), len(trials[index].repairs)))
        if trials[best].problems:
            return self._refuse(where, f"must be {describe({'anyOf': allowed}, self.root)}", value)
        self._take_over(trials[best])
        return fitted[best]

    def fit_one(self, value: Any, schema: JsonObject, where: Where) -> Any:
        allowed = choices(schema)
        if allowed is not None:
            return self._fit_choice(value, allowed, schema, where)
        match schema.get("type"):
            case "object":
                return self._fit_object_or_text(value, schema, where)
            case "array":
                return self._fit_list(value, schema, where)
            case "integer" | "number" | "boolean" | "string" as kind:
                return self._fit_scalar(value, kind, schema, where)
            case _:
                return value

    def _fit_scalar(self, value: Any, kind: str, schema: JsonObject, where: Where) -> Any:
        convert, repair = _SCALARS[kind]
        converted = convert(value)
        if converted is None:
            return self._refuse(where, f"must be {describe(schema, self.root)}", value)
        if type(converted) is not type(value):
            self.repairs.append(repair)
        return self._within_limits(converted, schema, where)

    def _fit_choice(self, value: Any, allowed: list[Any], schema: JsonObject, where: Where) -> Any:
        if any(type(each) is type(value) and each == value for each in allowed):
            return value
        for kind, (convert, repair) in _SCALARS.items():
            matches = [each for each in allowed if _kind_of(each) == kind and _same(convert(value), each)]
            if len(matches) == 1:
                self.repairs.append("enum_case" if isinstance(value, str) and kind == "string" else repair)
                return matches[0]
        return self._refuse(where, f"must be {describe(schema, self.root)}", value)

    def _fit_list(self, value: Any, schema: JsonObject, where: Where) -> Any:
        if isinstance(value, str) and value.lstrip().startswith("["):
            decoded = self._decode(value, list)
            if decoded is None and _JSON_LIST.match(value.lstrip()):
                return self._refuse(where, "holds text that is no whole JSON list", value)
            value = value if decoded is None else decoded
        items = schema.get("items")
        if isinstance(value, list):
            values = cast("list[Any]", value)
            fitted = [self.fit(each, items, (*where, index)) for index, each in enumerate(values)]
            return self._within_limits(fitted, schema, where)
        trial = _Fitter(self.root, self.as_named, self.open_objects, self.unions)
        lone = trial.fit(value, items, (*where, 0))
        # Empty text and null more likely mean an empty list than a list with an empty item.
        if trial.problems or value in ("", None):
            return self._refuse(where, f"must be {describe(schema, self.root)}", value)
        self._take_over(trial)
        self.repairs.append("wrapped_in_list")
        return self._within_limits([lone], schema, where)

    def _fit_object_or_text(self, value: Any, schema: JsonObject, where: Where) -> Any:
        if isinstance(value, str) and value.lstrip().startswith("{"):
            decoded = self._decode(value, dict)
            value = value if decoded is None else decoded
        if not isinstance(value, dict):
            return self._refuse(where, f"must be {describe(schema, self.root)}", value)
        return self.fit_object(cast("JsonObject", value), schema, where)

    def _decode(self, text: str, kind: type) -> Any:
        try:
            value, repairs = parse_json(text)
        except Unreadable:
            return None
        if not isinstance(value, kind):
            return None
        self.repairs += ["decoded_nested", *repairs]
        return value

    def _within_limits(self, value: Any, schema: JsonObject, where: Where) -> Any:
        broken = breach(value, schema)
        return self._refuse(where, broken, value) if broken else value

    def _drop(self, key: str, where: Where) -> None:
        if self.as_named:
            self.problems.append(ArgumentProblem((*where, key), "is not an argument of this tool"))
        else:
            self.repairs.append("dropped_argument")
            self.unknown.append(key)

    def _refuse(self, where: Where, what: str, value: Any) -> Any:
        self.problems.append(ArgumentProblem(where, what, (value,)))
        return value

    def _take_over(self, trial: "_Fitter") -> None:
        self.repairs += trial.repairs
        self.unknown += trial.unknown


def _says_null(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in ("null", "none")


def _kind_of(value: Any) -> str:
    return {"bool": "boolean", "int": "integer", "float": "number", "str": "string"}.get(type(value).__name__, "")


def _same(converted: Any, allowed: Any) -> bool:
    if isinstance(converted, str) and isinstance(allowed, str):
        return converted.strip().casefold() == allowed.casefold()
    return converted is not None and converted == allowed
