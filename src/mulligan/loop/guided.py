"""A turn that Mulligan drives: it finds the files itself and asks the model once, in plain text, without tools.

A model too small to choose among tools can still answer one narrow question about the right excerpts.
"""

from collections.abc import Sequence
from dataclasses import replace

from mulligan.codecontext.excerpt_search import Gathered, gather, still_there
from mulligan.core.context_budget import chars_per_token, clip_result
from mulligan.core.images import image_tokens
from mulligan.core.instructions import GUIDED_TOKENS, guided_instructions
from mulligan.core.payload import images_asked_with, shown_with
from mulligan.core.retrieval.excerpts import Excerpt, keep_shown, named_first
from mulligan.core.retrieval.request import GUIDED_SYSTEM, REPLY_TOKENS, Exchange, excerpt_budget, guided_messages
from mulligan.core.skills import GUIDED_TOKENS as SKILL_TOKENS
from mulligan.core.skills import chosen_skill, guided_skill
from mulligan.loop.next_reply import next_reply
from mulligan.loop.open_turn import OpenTurn, run_in_turn
from mulligan.loop.plan import End, TurnPlan
from mulligan.loop.record import TurnRecord
from mulligan.ports.callbacks import Emit, Log
from mulligan.ports.files import Workspace
from mulligan.ports.messages import MessageRepository
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Message, Text, ToolCallPart, ToolResultPart, UserMeta
from mulligan.types.profiles import ModelProfile
from mulligan.workspace.files.masked_files import MaskedFiles

COMMANDS_OUTPUT_CHARS = 2_000
"""Most characters of command output: with more, a small model loses track of the question."""
MADE_BY_MULLIGAN = "guided"
"""Prefix of the ids of calls that no model made."""
SKILL_PLACE = 800
"""Number of the call that reads a skill: after all excerpts."""


async def run_guided_turn(
    plan: TurnPlan,
    prompt: str,
    *,
    workspace: Workspace,
    profile: ModelProfile,
    store: MessageRepository,
    emit: Emit,
    log: Log,
    continues: bool = False,
) -> TurnEnd:
    """Answer one message from excerpts found by code. The turn ends and is recorded like any other.

    The plan's tools and system prompt are not used: both are for models that call tools.
    """
    guided = replace(
        plan,
        system=GUIDED_SYSTEM,
        tools=(),
        temperature=0.0 if plan.temperature is None else plan.temperature,
        max_tokens=plan.max_tokens or REPLY_TOKENS,
    )

    async def answer(turn: OpenTurn) -> End:
        return await _answer(turn, workspace, profile)

    return await run_in_turn(guided, prompt, answer, store=store, emit=emit, log=log, continues=continues)


async def _answer(turn: OpenTurn, workspace: Workspace, profile: ModelProfile) -> End:
    question, earlier = question_asked(turn.history)
    gathered = await gather_for(turn, workspace, profile, question, earlier)
    await show_gathered(gathered, turn.record)
    asked = guided_messages(
        question,
        gathered.excerpts,
        gathered.tree,
        earlier,
        gathered.facts,
        instructions=await instructions_for(turn, question, gathered),
        commands_output=commands_output(turn.history),
    )
    turn.messages = shown_with(asked, images_asked_with(turn.history))
    turn.begin_step()
    reply = await next_reply(turn)
    return reply if isinstance(reply, End) else End("answered")


async def instructions_for(turn: OpenTurn, task: str, gathered: Gathered) -> str:
    """The parts of the project's instructions that a small model gets with this task, and the skill that fits it.
    The skill is recorded as a call of `read_skill`, so that users see it."""
    given, texts = turn.plan.instructions, list[str]()
    if given:
        near = await given.source.on_the_way_to(each.path for each in gathered.excerpts)
        fitted = guided_instructions((*near, *await given.source.at_top()), task)
        turn.instructions = fitted.sent
        texts.append(fitted.text)
    if skill := chosen_skill(turn.plan.skills, task):
        texts.append(guided_skill(skill, task))
        _made(turn.record, SKILL_PLACE, "read_skill", {"name": skill.name}, texts[-1])
        await turn.record.save()
    return "\n\n".join(filter(None, texts))


async def gather_for(
    turn: OpenTurn, workspace: Workspace, profile: ModelProfile, question: str, earlier: Exchange | None
) -> Gathered:
    mask, workspace = turn.plan.mask, MaskedFiles(workspace, turn.plan.mask)
    given = turn.plan.instructions
    kept_free = GUIDED_TOKENS if given and await given.source.at_top() else 0
    skill = chosen_skill(turn.plan.skills, question)
    kept_free += SKILL_TOKENS if skill else 0
    kept_free += sum(image_tokens(each.about) for each in images_asked_with(turn.history))
    budget = excerpt_budget(profile, question, reply_tokens=(turn.plan.max_tokens or REPLY_TOKENS) + kept_free)
    ratio = chars_per_token(profile)
    before = earlier.question if earlier else ""
    gathered = await gather(
        workspace, question, index=turn.plan.index, earlier=before, budget=budget, chars_per_token=ratio
    )
    excerpts = tuple(each for each in gathered.excerpts if not skill or each.path != skill.source)
    gathered = replace(gathered, excerpts=excerpts, facts=mask(gathered.facts).text)
    named = [each.excerpt for each in turn.plan.attached if each.excerpt]
    if named:
        # The file tree is only for questions for which nothing else was found.
        facts = "" if gathered.tree else gathered.facts
        excerpts = named_first(named, gathered.excerpts, budget=budget, chars_per_token=ratio)
        return Gathered(tuple(excerpts), facts=facts)
    if gathered.tree or not earlier:
        return gathered
    shown = await still_there(workspace, _shown_before(turn.history))
    kept = keep_shown(shown, gathered.excerpts, budget=budget, chars_per_token=ratio)
    return replace(gathered, excerpts=tuple(kept))


def _shown_before(history: Sequence[Message]) -> list[Excerpt]:
    """The excerpts behind the chat's last answer, if Mulligan gathered them."""
    answered = [message for message in history if message.role == "assistant" and message.parts]
    parts = answered[-1].parts if answered else ()
    texts = {part.call_id: part.content for part in parts if isinstance(part, ToolResultPart)}
    shown: list[Excerpt] = []
    for part in parts:
        if not isinstance(part, ToolCallPart) or not part.call_id.startswith(MADE_BY_MULLIGAN):
            continue
        match part.arguments:
            case {"path": str(path), "start_line": int(first), "end_line": int(last)}:
                shown.append(Excerpt(path, first, last, texts.get(part.call_id, "")))
            case _:  # the tree
                pass
    return shown


def question_asked(history: Sequence[Message]) -> tuple[str, Exchange | None]:
    """The question to answer, and the exchange before it. After Continue, the question is the one that was stopped."""
    questions: list[str] = []
    answers: list[str] = []
    for message in history:
        meta = message.metadata
        if isinstance(meta, UserMeta) and not meta.continues and not meta.is_note:
            questions.append(message.visible_text.strip())
            answers.append("")
        elif message.role == "assistant" and answers:
            answers[-1] = message.visible_text.strip() or answers[-1]
    earlier = Exchange(questions[-2], answers[-2]) if len(questions) > 1 and answers[-2] else None
    return questions[-1], earlier


def commands_output(history: Sequence[Message]) -> str:
    """Output of the user's commands since the last answer."""
    texts: list[str] = []
    for message in history:
        if isinstance(message.metadata, UserMeta) and message.metadata.is_note:
            texts += [part.text for part in message.parts if isinstance(part, Text)]
        elif message.role == "assistant" and message.status != "streaming":
            texts = []
    return clip_result("\n\n".join(texts), COMMANDS_OUTPUT_CHARS)


async def show_gathered(gathered: Gathered, record: TurnRecord) -> None:
    """Record what was gathered, as calls that Mulligan made, so that users and later turns see it.

    The calls come before the step, so that asking again for a reply doesn't remove them.
    """
    if gathered.tree:
        _made(record, 0, "find_files", {"pattern": "*"}, gathered.tree)
    for number, each in enumerate(gathered.excerpts, 1):
        where = {"path": each.path, "start_line": each.first, "end_line": each.last}
        _made(record, number, "view_file", where, each.text)
    if gathered.facts:
        _made(record, len(gathered.excerpts) + 1, "search_symbols", {"query": "names in the question"}, gathered.facts)
    await record.save()


def _made(record: TurnRecord, number: int, name: str, arguments: dict[str, str | int], content: str) -> None:
    call_id = f"{MADE_BY_MULLIGAN}{number:03}"
    call = ToolCallPart(call_id=call_id, name=name, arguments=arguments)
    record_own_call(record, call, ToolResultPart(call_id=call_id, name=name, content=content))


def record_own_call(record: TurnRecord, call: ToolCallPart, result: ToolResultPart) -> None:
    """Record a call that Mulligan made itself."""
    record.call(call)
    record.returned(result)
    record.result(result)
