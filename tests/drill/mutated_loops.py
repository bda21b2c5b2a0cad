"""Guards against loops, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "identical calls are let pass",
        "core/repetition.py",
        "    return 3 if cycle <= 2 else 2",
        "    return 300 if cycle <= 2 else 2",
        ("same-call",),
    ),
)
