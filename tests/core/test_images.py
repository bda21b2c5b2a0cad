from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.images import (
    MAX_BYTES,
    MAX_TOKENS,
    MIN_TOKENS,
    image_tokens,
    image_words,
    read_image,
    refusal,
    takes_images,
)
from mulligan.models.known.probe_image import two_colored_image
from mulligan.types.errors import ConfigurationError
from mulligan.types.images import StoredImage
from mulligan.types.profiles import ModelProfile
from tests.sample_images import GIF, JPEG, WEBP_EXTENDED, WEBP_LOSSLESS, WEBP_LOSSY, png


@pytest.mark.parametrize(
    ("data", "kind", "width", "height"),
    [
        pytest.param(png(4, 3), "image/png", 4, 3, id="PNG"),
        pytest.param(GIF, "image/gif", 20, 10, id="GIF"),
        pytest.param(JPEG, "image/jpeg", 40, 30, id="JPEG behind other segments"),
        pytest.param(WEBP_LOSSY, "image/webp", 50, 60, id="WebP"),
        pytest.param(WEBP_LOSSLESS, "image/webp", 7, 9, id="WebP without loss"),
        pytest.param(WEBP_EXTENDED, "image/webp", 100, 200, id="WebP with more in it"),
    ],
)
def test_an_image_is_known_by_its_content(data: bytes, kind: str, width: int, height: int) -> None:
    image = read_image("shot.txt", data)
    assert (image.media_type, image.width, image.height, image.size) == (kind, width, height, len(data))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(b"hello", "no image that models take", id="text"),
        pytest.param(b"", "no image that models take", id="nothing"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no image that models take", id="SVG"),
        pytest.param(png()[:20], "no image that models take", id="cut off"),
        pytest.param(JPEG[:12], "no image that models take", id="JPEG without a size"),
        pytest.param(png(9000, 1), "9000 x 1 pixels", id="too wide"),
        pytest.param(png() + b"\0" * MAX_BYTES, "an image may have 5.0 MB", id="too large"),
    ],
)
def test_what_no_model_is_sent_is_refused_with_why(data: bytes, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        read_image("shot.png", data)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for begin in (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\0\0\0\0WEBP", b""):
        with suppress(ConfigurationError):
            assert read_image("x", begin + data).width > 0


@pytest.mark.parametrize(
    ("model", "told", "own", "takes"),
    [
        pytest.param("qwen3:8b", None, None, None, id="nobody knows"),
        pytest.param("qwen3:8b", True, None, True, id="the server says so"),
        pytest.param("qwen2.5-vl:7b", False, None, False, id="the server knows better than the name"),
        pytest.param("qwen2.5-vl:7b", None, None, True, id="by its name"),
        pytest.param("Qwen/Qwen2.5-VL-7B-Instruct", None, None, True, id="by its name, with a publisher"),
        pytest.param("gemma3:4b", None, None, True, id="Gemma 3"),
        pytest.param("gemma-3-1b-it", None, None, None, id="the Gemma 3 that reads text only"),
        pytest.param("gpt-4o-mini", None, None, True, id="a service's"),
        pytest.param("gpt-oss:20b", None, None, None, id="its sibling that does not"),
        pytest.param("qwen3:8b", False, True, True, id="the user knows best"),
        pytest.param("llava:7b", True, False, False, id="the user wants none sent"),
    ],
)
def test_which_models_take_images(model: str, told: bool | None, own: bool | None, takes: bool | None) -> None:
    profile = ModelProfile(server="http://s/v1", model=model, images=told)
    assert takes_images(profile, own=own) is takes


def test_a_refusal_says_what_to_do() -> None:
    assert "does not take images" in refusal("m", takes=False)
    assert "mulligan models probe" in refusal("m", takes=None)
    assert '[models."m"]' in refusal("m", takes=None)


def test_images_are_counted_by_their_size_within_bounds() -> None:
    def sized(width: int, height: int) -> StoredImage:
        return StoredImage(digest="d", media_type="image/png", width=width, height=height, size=1)

    assert image_tokens(sized(10, 10)) == MIN_TOKENS
    assert image_tokens(sized(1000, 750)) == 1000
    assert image_tokens(sized(8000, 8000)) == MAX_TOKENS
    assert image_words(sized(10, 20)) == "image, 10 x 20, PNG, 1 B"


def test_the_probes_image_is_one() -> None:
    assert (two_colored_image().about.width, two_colored_image().about.media_type) == (64, "image/png")
