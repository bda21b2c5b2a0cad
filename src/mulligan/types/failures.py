"""How a tool call can fail."""

from typing import Literal

FailureKind = Literal["schema_reject", "tool_not_found", "exec_error", "api_error", "permission_denied"]
"""`schema_reject`: the arguments don't fit, or the call was cut off. `tool_not_found`: no such tool.
`exec_error`: the tool ran and failed. `api_error`: a service behind the tool failed.
`permission_denied`: refused by the policy, a person or a budget."""

CallOutcome = Literal["success"] | FailureKind
"""What the mistake tracker needs to know of one call."""
