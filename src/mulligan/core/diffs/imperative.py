"""The imperative of an English verb, for subject lines of commits."""

import re
from functools import cache

VERBS = """
add adapt adjust align allow announce append apply ask assert assign avoid bind block break bring build bump
cache call cancel cap catch change check choose clarify clean clear close collect combine compare complete
compress compute configure connect consolidate convert copy correct count cover create cut deal debug declare
decode decouple deduplicate default define delay delete deny deprecate derive describe detect disable display
document download drop dump emit enable encode enforce ensure escape exclude execute expand expect explain
export expose extend extract fetch filter finish fix flatten fold follow force format free generate get give
group guard handle hide honor ignore implement import improve include increase infer inform initialize inject
inline insert install introduce invert invoke isolate join keep launch let limit link list load lock log lower
maintain make map mark mask match measure merge migrate mock modify move name normalize notify offer omit open
optimize order override parse pass patch persist pick pin place polish port prefer prepare prevent print
process propagate protect provide prune publish pull push put quote raise read rearrange recognize record
redirect reduce refactor refine refresh refuse register reject release reload remove rename render reorder
reorganize repair repeat replace report request require reset resolve respect restore restrict restructure
retain retry return reuse revert review rework rewrite round run sanitize save scale schedule send separate
serialize set share ship shorten show shrink simplify skip sort specify speed split standardize start stop
store stream strip support suppress swap switch sync take tell test throw tidy track translate treat trim
truncate try tune turn tweak type unify unwrap update upgrade upload use validate verify wait warn watch wire
wrap write
"""

IRREGULAR = {
    "broke": "break", "brought": "bring", "built": "build", "caught": "catch", "chose": "choose", "dealt": "deal",
    "found": "find", "gave": "give", "got": "get", "hid": "hide", "kept": "keep", "made": "make",
    "overrode": "override", "ran": "run", "rewrote": "rewrite", "sent": "send", "shown": "show", "sped": "speed",
    "threw": "throw", "told": "tell", "took": "take", "wrote": "write", "written": "write",
}  # fmt: skip

NOUNS = frozenset(
    {"tests", "types", "logs", "names", "notes", "lists", "links", "changes", "fixes", "updates", "checks"}
)
"""More often plurals than verbs: `Tests for the parser`."""
BASES_LIKE_FORMS = frozenset(
    {"bring", "string", "ping", "ring", "spring", "embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"}
    | {"succeed", "thing", "nothing", "king", "wing"}
)
_FORM = re.compile(r"[a-z]{3,}(?:ed|ing)")


def as_imperative(word: str) -> str | None:
    """The imperative if the word is a form of a known verb: `Added` becomes `Add`. None if its ending shows that it is
    another form."""
    lower = word.lower()
    base = _forms().get(lower)
    if base:
        return base.capitalize() if word[0].isupper() else base
    if lower in NOUNS or (_FORM.fullmatch(lower) and lower not in BASES_LIKE_FORMS):
        return None
    return word or None


@cache
def _forms() -> dict[str, str]:
    forms, verbs = dict(IRREGULAR), VERBS.split()
    for verb in verbs:
        stems = {verb, verb.removesuffix("e"), verb + verb[-1]}
        made = {stem + ending for stem in stems for ending in ("ed", "ing")} | {verb + "s", verb + "es"}
        if verb.endswith("y"):
            made |= {f"{verb[:-1]}ied", f"{verb[:-1]}ies"}
        forms |= {form: verb for form in made if form not in verbs and form not in NOUNS}
    return forms
