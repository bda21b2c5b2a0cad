"""The bytes of images, identified by their digest, so that copies of a chat share them."""

from mulligan.store.repository import SqlRepository
from mulligan.store.serialization import dump, load
from mulligan.types.images import StoredImage

UNUSED = 24 * 3600
"""Seconds for which an unused image is stored: it may be about to be sent."""


class SqlImageRepository(SqlRepository):
    async def keep(self, about: StoredImage, data: str) -> None:
        """`data` is base64. If the image is already stored, its time starts again."""
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
        """Delete images that nothing uses any more: no message, queued message, trimmed chat or fix run."""
        rows = await self._database.fetch_all(
            "DELETE FROM images WHERE kept_at < :before"
            " AND NOT EXISTS (SELECT 1 FROM messages WHERE metadata LIKE '%' || digest || '%')"
            " AND NOT EXISTS (SELECT 1 FROM queued_messages WHERE images LIKE '%' || digest || '%')"
            " AND NOT EXISTS (SELECT 1 FROM fix_runs WHERE state LIKE '%' || digest || '%')"
            " AND NOT EXISTS (SELECT 1 FROM trimmed_chats WHERE body LIKE '%' || digest || '%') RETURNING digest",
            before=self._clock() - UNUSED,
        )
        return len(rows)
