"""More is read than fits into the model's context, or less than an answer needs."""

from mulligan.drill.claims import asks_exactly, ends, raises, says, says_only, tells_the_model
from mulligan.drill.fault import CommandStep, Fault, claim
from mulligan.drill.observed import Observation
from mulligan.drill.scripting import call, say, script, view
from mulligan.models.scripted.reply import prompt_tokens
from mulligan.models.scripted.script import ScriptedReply, When
from mulligan.runtime.lenient_json import as_list, as_object, as_text
from mulligan.types.messages import Status

SMALL = 4096
"""Tokens."""
QUESTION = "Which function of the long files returns the answer?"
FOUND = "It is function_5_3."
LONG_FILES = {
    f"long_{number}.py": "".join(f"def function_{number}_{line}(): return {line}\n" for line in range(120))
    for number in range(6)
}
# Results of tools can be hidden; the model's own text has to be summarized.
CHATTER = "".join(f"Function {number} returns {number}, which is not what is asked for.\n" for number in range(30))
LOG = "".join(f"\n[{number}] a line of the log that was pasted into the question" for number in range(500))
SUM_UP = When(contains="Sum up the session above")
SUMMARY = """## Goal
Find the function of the long files that returns the answer.
## Progress
### Done
- Looked at several long files.
## Next Steps
- Look at the others.
## Files Read
- invented/by_the_model.py
"""
POEM = "## Goal\nA poem about the sea, in four verses.\n## Next Steps\n- Write the second verse, about the wind.\n"

SHOP = {
    "MULLIGAN.md": "Prices are in cents.\n",
    "README.md": "# Bookshop\n",
    "bookshop/__init__.py": "",
    "bookshop/main.py": "from bookshop.cart import Cart\n\n\ndef run():\n    return Cart().total()\n",
    "bookshop/cart.py": "from bookshop.money import cents\n\n\nclass Cart:\n    def total(self): return cents(1)\n",
    "bookshop/money.py": "def cents(amount):\n    return amount * 100\n",
    "bookshop/unread.txt": "not for reading\n",
}
GLANCE = call("get_codebase_overview", {})
OVERVIEW = "A shop for books: `bookshop/main.py` starts it, `bookshop/cart.py` adds up."


def _reading_all(*summing_up: ScriptedReply, kind: str) -> CommandStep:
    """The model reads every long file and talks while it does, then answers."""
    reading = (view(path).model_copy(update={"text": CHATTER}) for path in LONG_FILES)
    played = script(*summing_up, *reading, say(FOUND), context_length=SMALL, kind=kind, strict_roles=True)
    return CommandStep(("ask", QUESTION), played)


def _what_is_here(*replies: ScriptedReply) -> CommandStep:
    return CommandStep(("ask", "What is in here?"), script(*replies, then="fail"))


@claim
def _refuses(seen: Observation, times: int) -> str | None:
    """This many requests were longer than the model's context."""
    lengths = [prompt_tokens(as_list(request.get("messages"))) for request in seen.last.requests]
    too_long = [length for length in lengths if length > SMALL]
    return None if len(too_long) == times else f"requests of {too_long} tokens; the context has {SMALL}"


def _knows_every_file(seen: Observation) -> str | None:
    """The last request still contains the question, and names exactly the files that were read."""
    messages = [as_object(message) for message in as_list(seen.last.requests[-1].get("messages"))]
    text = "\n".join(as_text(message.get("content")) for message in messages)
    listed = {line[2:] for line in text.partition("## Files Read\n")[2].split("\n") if line.startswith("- ")}
    called = {path for path in LONG_FILES for message in messages if path in str(message.get("tool_calls"))}
    if listed | called != LONG_FILES.keys():
        return f"the last request lists {sorted(listed)} as read and shows calls for {sorted(called)}"
    return None if QUESTION in text else "the last request has lost the question"


def _answers_without_tools(seen: Observation) -> str | None:
    return "the last request offered tools" if seen.last.requests[-1].get("tools") else None


@claim
def _completes(seen: Observation, *statuses: Status) -> str | None:
    """The messages of the turn ended with these statuses, in order."""
    found = tuple(frame["status"] for frame in seen.frames("message_complete"))
    return None if found == statuses else f"messages ended {found}, not {statuses}"


_IS_ANSWERED = (ends("answered", 0), says(FOUND), _knows_every_file)

CONTEXT = (
    Fault(
        "small-context",
        "far more is read than the server takes",
        (_reading_all(ScriptedReply(when=SUM_UP, text=SUMMARY), kind="llama.cpp"),),
        (*_IS_ANSWERED, _refuses(0), raises("compacted", how="summary")),
        files=LONG_FILES,
    ),
    Fault(
        "silent-cut",
        "a server that cuts long requests without a word",
        (_reading_all(ScriptedReply(when=SUM_UP, text=SUMMARY), kind="ollama"),),
        (*_IS_ANSWERED, _refuses(0), raises("compacted", how="summary")),
        files=LONG_FILES,
    ),
    Fault(
        "untold-context",
        "a server that tells its limit only when it refuses",
        (_reading_all(ScriptedReply(when=SUM_UP, text=SUMMARY), kind="openai"),),
        (*_IS_ANSWERED, _refuses(1), raises("compacted", how="summary")),
        files=LONG_FILES,
    ),
    Fault(
        "long-question",
        "a question longer than the model's context",
        (CommandStep(("ask", QUESTION + LOG), script(say(FOUND), context_length=SMALL, kind="llama.cpp")),),
        (ends("answered", 0), says(FOUND), _refuses(1), raises("compacted"), tells_the_model(QUESTION)),
    ),
    Fault(
        "useless-summary",
        "a summary of something else",
        (_reading_all(ScriptedReply(when=SUM_UP, text=POEM), kind="llama.cpp"),),
        (
            *_IS_ANSWERED,
            _refuses(0),
            raises("compacted", how="digest"),
            tells_the_model("Your last summary did not say what the user wants"),
        ),
        files=LONG_FILES,
    ),
    Fault(
        "glance",
        "a glance at the project in place of reading it",
        (_what_is_here(GLANCE, say(OVERVIEW)),),
        (
            ends("synthesized", 0),
            asks_exactly(2),
            tells_the_model("def run():\n    return Cart().total()"),
            tells_the_model("Prices are in cents."),
            _answers_without_tools,
            says_only(OVERVIEW),
        ),
        files=SHOP,
    ),
    Fault(
        "made-up-sources",
        "an answer that names files nobody has read",
        (_what_is_here(GLANCE, say(f"{OVERVIEW} See `bookshop/unread.txt` and `bookshop/engine.py`.")),),
        (ends("synthesized", 0), says("Not read: `bookshop/unread.txt`. Not in this project: `bookshop/engine.py`.")),
        files=SHOP,
    ),
    Fault(
        "failing-synthesis",
        "a glance, and then no answer from it",
        (_what_is_here(GLANCE, ScriptedReply(times=2), say("A shop.")),),
        (ends("answered", 0), asks_exactly(4), _completes("failed", "complete"), says("A shop.")),
        files=SHOP,
    ),
)
