"""Images are kept once, for as long as anything names them."""

import base64

from mulligan.core.images import read_image
from mulligan.store.images import UNUSED
from mulligan.store.store import SqlStore
from mulligan.types.images import StoredImage
from mulligan.types.messages import AttachmentInfo, UserMeta
from tests.fixing.run_states import a_run
from tests.sample_images import png
from tests.store.conftest import ManualClock


async def kept(store: SqlStore, side: int) -> StoredImage:
    data = png(side, side)
    about = read_image("shot.png", data)
    await store.images.keep(about, base64.b64encode(data).decode())
    return about


def named(image: StoredImage) -> UserMeta:
    return UserMeta(attached=(AttachmentInfo(name="shot.png", image=image),))


async def test_an_image_comes_back_as_it_was(store: SqlStore) -> None:
    image = await kept(store, 4)
    assert await kept(store, 4) == image
    assert await store.images.find(image.digest) == image
    assert base64.b64decode(await store.images.data(image.digest) or "") == png(4, 4)
    assert await store.images.find("0" * 64) is None
    assert await store.images.data("0" * 64) is None


async def test_only_images_that_nothing_names_are_deleted_and_only_later(store: SqlStore, clock: ManualClock) -> None:
    chat = await store.chats.create(project="/p", agent="default", title="t")
    said, waits, unused, of_run = [await kept(store, side) for side in (1, 2, 3, 5)]
    await store.runs.add(a_run(goal_images=named(of_run).attached))
    await store.messages.add(chat.id, role="user", metadata=named(said))
    await store.queued.add(chat.id, "see", agent=None, model=None, images=named(waits).attached)
    assert await store.images.purge() == 0
    clock.now += UNUSED + 1
    assert await store.images.purge() == 1
    assert await store.images.find(unused.digest) is None
    assert await store.images.find(of_run.digest) == of_run
    (queued,) = await store.queued.list(chat.id)
    assert queued.images == named(waits).attached


async def test_a_copy_of_a_chat_has_its_images_after_the_chat_is_gone(store: SqlStore, clock: ManualClock) -> None:
    chat = await store.chats.create(project="/p", agent="default", title="t")
    image = await kept(store, 4)
    await store.messages.add(chat.id, role="user", metadata=named(image))
    copy = await store.copies.fork(chat.id, title="copy")
    await store.chats.delete(chat.id)
    clock.now += 8 * 24 * 3600
    assert await store.chats.purge() == 1
    assert await store.images.purge() == 0
    (message,) = await store.messages.list(copy.id)
    assert message.metadata == named(image)
