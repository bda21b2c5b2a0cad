"""How edits find their place and are fitted in, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "the model's indentation is taken over",
        "core.edits.indentation:IndentMap.stepped",
        "lambda self, mine, theirs, new: new",
        ("other-indent", "tabs-for-spaces"),
    ),
    Mutation(
        "white space at the end is taken over",
        "core.edits.merge:_Merge._added_line",
        """def broken(self, step):
    self._trailing_differs = False
    return whole(self, step)""",
        ("trailing-spaces",),
    ),
    Mutation(
        "the model's characters are taken over",
        "core.edits.typography:Typography.follow",
        "lambda self, text: text",
        ("curly-quotes", "long-dash"),
    ),
    Mutation(
        "lines that stay are written as the model has them",
        "core.edits.merge:_Merge._keep",
        """def broken(self, step):
    span = self._partners[step.old]
    self._out.append(self._new.body(step.new) + self._ending)
    self._cursor = span[1] if span else self._cursor""",
        ("blank-line-dropped", "blank-line-added", "typo"),
    ),
    Mutation(
        "nothing is unwrapped",
        "core.edits.unwrap:readings",
        "lambda *given: iter([next(whole(*given))])",
        ("line-numbers", "fenced-edit", "quote-marks", "literal-newlines", "diff-marks"),
    ),
    Mutation(
        "nothing is found by likeness",
        "core.edits.windows:SIMILAR_FROM",
        "1.66",
        ("typo",),
    ),
    Mutation(
        "three dots stand for nothing",
        "core.edits.elision:find_elided",
        "lambda text, needle: None",
        ("elided",),
    ),
    Mutation(
        "new lines end as the model ends them",
        "core.edits.splice:_BREAK",
        're.compile("(?!)")',
        ("windows-line-ends",),
    ),
    Mutation(
        "an edit that was made is not recognised",
        "core.edits.already_applied:find_new_text",
        "lambda text, reading: None",
        ("already-applied",),
    ),
    Mutation(
        "of two places the first is taken",
        "core.edits.locate:occurrences",
        "lambda *given: list(whole(*given))[:1]",
        ("two-places",),
    ),
    Mutation(
        "likeness alone is enough",
        "core.edits.evidence:MatchScore.holds",
        "property(lambda self: True)",
        ("sibling",),
    ),
    Mutation(
        "lines that are left out are lost",
        "core.edits.apply:_check_whole",
        "lambda *_: None",
        ("lazy-rest",),
    ),
    Mutation(
        "a refused edit is passed over",
        "core.edits.apply:_apply",
        """def broken(content, edit):
    try:
        return whole(content, edit)
    except EditRefused:
        return Applied(content)""",
        ("one-of-two-edits",),
    ),
    Mutation(
        "a refusal does not show the nearest lines",
        "core.edits.explain:_shown",
        "lambda place: ''",
        ("sibling", "nearest-lines", "nearest-part"),
    ),
    Mutation(
        "a wrong letter makes another name",
        "core.edits.evidence:_typo_bits",
        "lambda difference: 1e9",
        ("wrong-letter", "three-wrong-letters", "wrong-letters-sibling", "wrong-letters-deeper", "typo"),
    ),
    Mutation(
        "what was overlooked is not told",
        "core.edits.apply:placed_notes",
        "lambda *_: ()",
        ("wrong-letter",),
    ),
    Mutation(
        "no line may be made up",
        "core.edits.windows:_gaps_allowed",
        "lambda text, partners, added, hidden: not added",
        ("line-invented",),
    ),
    Mutation(
        "lines before three dots must stand once",
        "core.edits.elision:strictest_places",
        "lambda *given: found if len(found := whole(*given)) == 1 else []",
        ("elided-head-twice",),
    ),
    Mutation(
        "a short part must be exact",
        "core.edits.parts:may_be_part",
        "lambda needle: False",
        ("short-part",),
    ),
    Mutation(
        "fences of the file keep the fence around the edit",
        "core.edits.unwrap:_likewise",
        "lambda layer, old, new, *_, **__: new",
        ("fence-around-fences",),
    ),
    Mutation(
        "an exact piece is never the whole line",
        "core.edits.apply:whole_lines",
        "lambda *_: None",
        ("comment-not-sent",),
    ),
    Mutation(
        "quotes that only the new text curls are taken over",
        "core.edits.apply:straightened",
        "lambda content, old, new: new",
        ("curly-new-text",),
    ),
    Mutation(
        "replace_all beside edits counts for none of them",
        "tools.edit_file:_edits",
        "lambda asked: [dataclasses.replace(each, replace_all=False) for each in whole(asked)]",
        ("replace-all-beside-edits",),
    ),
    Mutation(
        "an edit that landed in this chat is not recognised",
        "workspace.changes.staging:StagedEditing._already_applied",
        """async def broken(self, path, edits):
    return False""",
        ("short-edit-twice",),
    ),
    Mutation(
        "a model is believed that says Done",
        "loop.open_turn:refused_edits",
        "lambda parts: whole([])",
        ("nothing-done",),
    ),
    Mutation(
        "a syntax error is not told",
        "tools.staged_result:_broken",
        "lambda *_: []",
        ("broken-syntax",),
    ),
    Mutation(
        "masks are written into files",
        "core.secrets:refuse_masks",
        "lambda *_: None",
        ("edit-with-mask",),
    ),
    Mutation(
        "edits are made without a yes",
        "workspace.changes.staging:StagedEditing._stage",
        """def broken(self, *given):
    self._apply_now = True
    return whole(self, *given)""",
        ("unasked",),
    ),
    Mutation(
        "what the user did meanwhile is overwritten",
        "workspace.changes.merging:_merge",
        "lambda old, new, present: MergedFile(new)",
        ("changed-elsewhere", "changed-there"),
    ),
)
