from tests.e2e.command import mulligan

__all__ = ["mulligan"]
