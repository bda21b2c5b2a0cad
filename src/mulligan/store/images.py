"""The bytes of images. Whatever names one names it by its digest: copies of a chat share it."""

from mulligan.store.repository import SqlRepository
from mulligan.store.serialization import dump, load
from mulligan.types.images import StoredImage

UNUSED = 24 * 3600
"""Seconds for which an image is kept that no message names: somebody may be about to send it."""


class SqlImageRepository(SqlRepository):
    async def keep(self, about: StoredImage, data: str) -> None:
        """`data` is base64. One that is there already is kept longer."""
        await self._database.execute(
            "INSERT INTO images (digest, about, data, kept_at) VALUES (:digest, :about, :data, :now)"
            " ON CONFLICT (digest) DO UPDATE SET kept_at = excluded.kept_at",
            digest=about.digest,
            about=dump(about),
            data=data,
            now=self._clock(),
        )

    async def find(self, digest: str) -> StoredImage | None:
        row = await self._database.fetch_one("SELECT about FROM images WHERE digest = :digest", digest=digest)
        return load(StoredImage.model_validate, row["about"], what=f"image {digest}") if row is not None else None

    async def data(self, digest: str) -> str | None:
        """Base64."""
        row = await self._database.fetch_one("SELECT data FROM images WHERE digest = :digest", digest=digest)
        return row["data"] if row is not None else None

    async def purge(self) -> int:
        """Delete those that nothing names any more: no message, none that waits, none that an undo brings back, and no
        fix run."""
        rows = await self._database.fetch_all(
            "DELETE FROM images WHERE kept_at < :before"
            " AND NOT EXISTS (SELECT 1 FROM messages WHERE metadata LIKE '%' || digest || '%')"
            " AND NOT EXISTS (SELECT 1 FROM queued_messages WHERE images LIKE '%' || digest || '%')"
            " AND NOT EXISTS (SELECT 1 FROM fix_runs WHERE state LIKE '%' || digest || '%')"
            " AND NOT EXISTS (SELECT 1 FROM trimmed_chats WHERE body LIKE '%' || digest || '%') RETURNING digest",
            before=self._clock() - UNUSED,
        )
        return len(rows)
