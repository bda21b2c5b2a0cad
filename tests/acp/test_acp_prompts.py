import pytest

from mulligan.acp.prompts import FileAddress, file_address


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("file:///p/a.py", FileAddress("/p/a.py")),
        ("file://localhost/p/a.py", FileAddress("/p/a.py")),
        ("file:///p/with%20space.py", FileAddress("/p/with space.py")),
        ("file:///p/a.py#L10:20", FileAddress("/p/a.py", (10, 20))),
        ("file:///p/a.py#L10-L20", FileAddress("/p/a.py", (10, 20))),
        ("file:///p/a.py?symbol=f#L7", FileAddress("/p/a.py", (7, 7))),
        ("file://elsewhere/p/a.py", None),
        ("https://example.org/a.py", None),
        ("untitled:1", None),
        ("file://[broken", None),
    ],
)
def test_where_an_address_leads(uri: str, address: FileAddress | None) -> None:
    assert file_address(uri) == address
