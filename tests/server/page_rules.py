"""A chat as a page shows it: what was loaded, and the frames since, by the rules that a page follows."""

from dataclasses import dataclass, field
from typing import Any

Part = dict[str, Any]


@dataclass
class Shown:
    """One message."""

    status: str
    parts: list[Part] = field(default_factory=list[Part])
    step_at: int = 0
    """Where the step under way begins."""

    def stream(self, kind: str, text: str) -> None:
        if not self.parts or self.parts[-1]["kind"] != kind:
            self.parts.append({"kind": kind, "text": ""})
        self.parts[-1] = {"kind": kind, "text": self.parts[-1]["text"] + text}

    def drop_step(self) -> None:
        del self.parts[self.step_at + 1 :]

    @property
    def said(self) -> str:
        return "".join(part["text"] for part in self.parts if part["kind"] == "text")


class PageChat:
    """It begins with what `GET /api/chats/…` answers."""

    def __init__(self, detail: dict[str, Any]) -> None:
        self.seq: int = detail["seq"]
        self.messages: dict[str, Shown] = {}
        for message in detail["messages"]:
            streams = message["status"] == "streaming"
            parts = [] if streams else [_plain(part) for part in message["parts"]]
            self.messages[message["id"]] = Shown(message["status"], parts)
        for envelope in detail["live"]:
            self._follow(envelope["frame"])

    def take(self, envelope: dict[str, Any]) -> None:
        if envelope["seq"] > self.seq:
            self.seq = envelope["seq"]
            self._follow(envelope["frame"])

    def _follow(self, frame: dict[str, Any]) -> None:
        match frame:
            case {"type": "turn_start" | "message_start", "message_id": message_id}:
                if self.messages.get(message_id, Shown("streaming")).status == "streaming":
                    self.messages[message_id] = Shown("streaming")
            case {"type": kind, "message_id": message_id}:
                message = self.messages.get(message_id)
                if message and message.status == "streaming":
                    _change(message, kind, frame)
            case _:
                pass


def stored(detail: dict[str, Any]) -> dict[str, list[Part]]:
    """The parts of assistant messages, as far as frames tell them."""
    return {
        message["id"]: [_plain(part) for part in message["parts"]]
        for message in detail["messages"]
        if message["role"] == "assistant"
    }


def _change(message: Shown, kind: str, frame: dict[str, Any]) -> None:
    match kind:
        case "step_start":
            message.step_at = len(message.parts)
            message.parts.append({"kind": "step_start", "step": frame["step"]})
        case "text_delta":
            message.stream("text", frame["text"])
        case "reasoning_delta":
            message.stream("reasoning", frame["text"])
        case "reply_retry":
            message.drop_step()
        case "reply_trimmed":
            message.drop_step()
            message.parts += [{"kind": "text", "text": frame["text"]}] if frame["text"] else []
        case "tool_call" | "tool_result":
            message.parts.append(_plain({**frame, "kind": kind}))
        case "message_complete":
            message.status = frame["status"]
        case _:
            pass


def _plain(part: dict[str, Any]) -> Part:
    """What both a stored part and a frame say."""
    names = {
        "step_start": ("step",),
        "text": ("text",),
        "reasoning": ("text",),
        "tool_call": ("call_id", "name", "arguments"),
        "tool_result": ("call_id", "name", "content", "failure"),
        "synthesis": (),
    }
    return {"kind": part["kind"], **{name: part[name] for name in names[part["kind"]]}}
