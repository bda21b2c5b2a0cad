"""What a project's manifests say about it. A manifest that can't be read is skipped."""

from mulligan.codecontext.manifests.reading import is_manifest, read_manifest

__all__ = ["is_manifest", "read_manifest"]
