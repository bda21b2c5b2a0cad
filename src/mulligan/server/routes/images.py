"""Images for new messages, and those of sent messages."""

import base64
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from mulligan.app.images import keep_image
from mulligan.server.dependencies import StateDep
from mulligan.server.state import NotFound
from mulligan.types.messages import AttachmentInfo

router = APIRouter(tags=["chats"])

BINARY = {"schema": {"type": "string", "format": "binary"}}
BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": BINARY}}}


@router.post("/api/projects/{project_id}/images", status_code=201, openapi_extra=BODY)
async def keep(
    project_id: str,
    request: Request,
    state: StateDep,
    name: Annotated[str, Query(min_length=1, max_length=200)] = "image",
) -> AttachmentInfo:
    """Store an image for a message: a PNG, JPEG, GIF or WebP of at most 5 MB, checked by its content."""
    return await keep_image(state.project(project_id).session.store, name, await request.body())


@router.get("/api/projects/{project_id}/images/{digest}", response_class=Response)
async def show(project_id: str, digest: str, state: StateDep) -> Response:
    store = state.project(project_id).session.store
    about, data = await store.images.find(digest), await store.images.data(digest)
    if about is None or data is None:
        raise NotFound(f"there is no image {digest} here")
    return Response(base64.b64decode(data), media_type=about.media_type)
