"""How edits find their place and are fitted in, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "the model's indentation is taken over",
        "core/edits/indentation.py",
        "        if self._same:\n            return new",
        "        if new or not new:\n            return new",
        ("other-indent", "tabs-for-spaces"),
    ),
    Mutation(
        "white space at the end is taken over",
        "core/edits/merge.py",
        "(body.rstrip() if self._trailing_differs else body)",
        "body",
        ("trailing-spaces",),
    ),
    Mutation(
        "the model's characters are taken over",
        "core/edits/typography.py",
        "        if text.isascii():\n            return text",
        "        if text.isascii() or text:\n            return text",
        ("curly-quotes", "long-dash"),
    ),
    Mutation(
        "lines that stay are written as the model has them",
        "core/edits/merge.py",
        "        span = self._partners[step.old]\n        if span is not None:\n            self._copy_to(span[1])",
        "        span = self._partners[step.old]\n"
        "        self._out.append(self._new.body(step.new) + self._ending)\n"
        "        self._cursor = span[1] if span else self._cursor",
        ("blank-line-dropped", "blank-line-added", "typo"),
    ),
    Mutation(
        "nothing is unwrapped",
        "core/edits/unwrap.py",
        "    if old in content:",
        "    if old:",
        ("line-numbers", "fenced-edit", "quote-marks", "literal-newlines", "diff-marks"),
    ),
    Mutation(
        "nothing is found by likeness",
        "core/edits/windows.py",
        "SIMILAR_FROM = 0.66",
        "SIMILAR_FROM = 1.66",
        ("typo",),
    ),
    Mutation(
        "three dots stand for nothing",
        "core/edits/elision.py",
        "    if not marks:",
        "    if marks or not marks:",
        ("elided",),
    ),
    Mutation(
        "new lines end as the model ends them",
        "core/edits/splice.py",
        "_BREAK.sub(ending, new)",
        "new",
        ("windows-line-ends",),
    ),
    Mutation(
        "an edit that was made is not recognised",
        "core/edits/standing.py",
        "    if set(reading.new_text.keys) <= set(reading.old_text.keys):",
        "    if reading:",
        ("already-applied",),
    ),
    Mutation(
        "of two places the first is taken",
        "core/edits/locate.py",
        "        if len(starts) == 1:",
        "        if starts:",
        ("two-places",),
    ),
    Mutation(
        "likeness alone is enough",
        "core/edits/windows.py",
        "    good = [window for window in windows if window.believable and window.similarity >= SIMILAR_FROM]",
        "    good = [window for window in windows if window.similarity >= SIMILAR_FROM]",
        ("sibling", "nearest-lines"),
    ),
    Mutation(
        "lines that are left out are lost",
        "core/edits/apply.py",
        "        _check_whole(text, found, reading)\n",
        "",
        ("lazy-rest",),
    ),
    Mutation(
        "a refused edit is passed over",
        "core/edits/apply.py",
        '            if refused.report.reason == "already_applied":',
        "            if len(edits) > 1:",
        ("one-of-two-edits",),
    ),
    Mutation(
        "a refusal does not show the nearest lines",
        "core/edits/explain.py",
        "        if window.similarity >= 0.3",
        "        if window.similarity >= 1.3",
        ("sibling", "nearest-lines"),
    ),
    Mutation(
        "a model is believed that says Done",
        "loop/open_turn.py",
        "        unlanded = unlanded_edits(self.record.parts)",
        "        unlanded = ()",
        ("nothing-done",),
    ),
    Mutation(
        "a syntax error is not told",
        "tools/staged_words.py",
        "    if not problems:",
        "    if problems:",
        ("broken-syntax",),
    ),
    Mutation(
        "edits are made without a yes",
        "workspace/staging.py",
        "        if self._apply_now:",
        "        if change:",
        ("unasked",),
    ),
    Mutation(
        "what the person did meanwhile is overwritten",
        "workspace/fitting.py",
        "    return _merge(old, new, present)",
        "    return Fitted(new)",
        ("changed-elsewhere", "changed-there"),
    ),
)
