"""Another process at the same store. Its first argument says what it does, the second where the database is."""

import asyncio
import sys
from pathlib import Path

from mulligan.store.store import SqlStore, open_store
from mulligan.types.errors import ChatBusy
from mulligan.types.messages import StepStart, Text, TurnMeta, UserMeta

META = TurnMeta(agent="default", model="scripted")


async def main(act: str, address: str, *arguments: str) -> None:
    say("ready")
    sys.stdin.readline()  # so that several of them can be let loose at the same moment
    store = await open_store(address if "://" in address else Path(address))
    await ACTS[act](store, *arguments)
    await store.close()


async def just_open(store: SqlStore) -> None:
    say(str(len(await store.chats.list())))


async def add(store: SqlStore, chat_id: str, name: str, count: str) -> None:
    for number in range(int(count)):
        await store.messages.add(chat_id, role="user", metadata=UserMeta(), parts=[Text(text=f"{name} {number}")])


async def reply(store: SqlStore, chat_id: str) -> None:
    """Begin a reply and never end it; wait to be killed."""
    try:
        message = await store.messages.open_turn(chat_id, "why?", UserMeta(), META)
    except ChatBusy as busy:
        say(f"busy: {busy}")
        return
    await store.messages.save_parts(message.id, 0, [StepStart(step=1), Text(text="half a sent")])
    say(message.id)
    sys.stdin.read()


async def sweep(store: SqlStore) -> None:
    say(" ".join(swept.message_id for swept in await store.messages.sweep()))


async def die(store: SqlStore) -> None:
    await store.chats.list()
    sys.exit("the store was not closed")


ACTS = {"die": die, "open": just_open, "add": add, "reply": reply, "sweep": sweep}


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
