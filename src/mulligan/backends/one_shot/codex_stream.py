"""`codex exec --json`: a thread, turns in it, and items that are started, updated and completed.

Messages arrive whole, once completed. `error` may be a notice that it retries; `turn.failed` is the end.
"""

from mulligan.backends.one_shot.parsed_line import ParsedLine
from mulligan.runtime.lenient_json import as_object, as_objects, as_text
from mulligan.types.agents import AgentDone, AgentEvent, AgentPlan, AgentReasoning, AgentText, AgentToolCall
from mulligan.types.agents import AgentToolUpdate as Update
from mulligan.types.tool_calls import JsonObject


def parse_line(line: JsonObject) -> ParsedLine:
    match line.get("type"):
        case "thread.started":
            return ParsedLine(session=as_text(line.get("thread_id")) or None)
        case "turn.started":
            return ParsedLine(goes_on=True)
        case "item.started" | "item.updated":
            return _item(as_object(line.get("item")), completed=False)
        case "item.completed":
            return _item(as_object(line.get("item")), completed=True)
        case "turn.completed":
            return ParsedLine(ending=AgentDone("finished"))
        case "turn.failed":
            return ParsedLine(ending=AgentDone("failed", as_text(as_object(line.get("error")).get("message"))))
        case "error":
            return _trouble(line)
        case _:
            return ParsedLine()


def _item(item: JsonObject, *, completed: bool) -> ParsedLine:
    match item.get("type"):
        case "agent_message" if completed:
            return ParsedLine(events=(AgentText(as_text(item.get("text"))),))
        case "reasoning" if completed:
            return ParsedLine(events=(AgentReasoning(as_text(item.get("text"))),))
        case "todo_list":
            return ParsedLine(
                events=(AgentPlan(tuple(as_text(entry.get("text")) for entry in as_objects(item.get("items")))),)
            )
        case "error":
            return _trouble(item)
        case "command_execution" | "file_change" | "mcp_tool_call" | "web_search":
            call = _call(item)
            events: tuple[AgentEvent, ...] = (call, _update(item, call.call_id)) if completed else (call,)
            return ParsedLine(events=events)
        case _:
            return ParsedLine()


def _call(item: JsonObject) -> AgentToolCall:
    call_id = as_text(item.get("id"))
    match item.get("type"):
        case "command_execution":
            command = as_text(item.get("command"))
            return AgentToolCall(call_id, command, {"command": command})
        case "file_change":
            changes = as_objects(item.get("changes"))
            paths = ", ".join(as_text(change.get("path")) for change in changes)
            return AgentToolCall(call_id, f"edit {paths}", {"changes": changes})
        case "mcp_tool_call":
            title = f"{as_text(item.get('server'))}.{as_text(item.get('tool'))}"
            return AgentToolCall(call_id, title, as_object(item.get("arguments")))
        case _:
            return AgentToolCall(call_id, "web search", {"query": as_text(item.get("query"))})


def _update(item: JsonObject, call_id: str) -> Update:
    failed = item.get("status") in ("failed", "declined")
    results = as_objects(as_object(item.get("result")).get("content"))
    content = (
        as_text(item.get("aggregated_output"))
        or as_text(as_object(item.get("error")).get("message"))
        or "\n".join(as_text(result.get("text")) for result in results)
    )
    return Update(call_id, "failed" if failed else "completed", content)


def _trouble(line: JsonObject) -> ParsedLine:
    message = as_text(line.get("message"))
    return ParsedLine(events=(AgentReasoning(message),), trouble=message)
