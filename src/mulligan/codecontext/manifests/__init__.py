"""What a project's manifests say of it. A manifest that can't be read says nothing, and harms nothing."""

from mulligan.codecontext.manifests.reading import is_manifest, read_manifest

__all__ = ["is_manifest", "read_manifest"]
