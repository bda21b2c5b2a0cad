"""Plan mode: the request to the agent that only reads, and the instruction to the agent that writes."""

PLANNER, FOLLOWER = "architect", "coder"

_PLAN = """Plan this, and change nothing yet: {goal}

Read what it is about first. Then write the plan as a numbered list of small steps: each names the files that it \
touches, what is done there, and how one sees that it worked. End with what could go wrong."""

FOLLOW = """Follow the plan above, step by step. Keep the list of its steps with update_todos: when you begin, and \
whenever a step is done. Say at the end what was done and what is left."""


def plan_prompt(goal: str) -> str:
    return _PLAN.format(goal=goal)
