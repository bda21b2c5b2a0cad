"""What looks like a secret is masked before it is kept in a file that people pass on."""

import re
from typing import TypeVar

from mulligan.core.record_texts import with_texts
from mulligan.types.base import Record

MASK = "[masked]"

# Every repetition that could run over a whole log and then fail has a bound: else a crafted output takes for ever.
_SECRETS = re.compile(
    r"""
      -----BEGIN[ ][A-Z ]{0,40}PRIVATE[ ]KEY-----(?:(?!-----)[\s\S]){0,8000}+(?:-----END[ ][A-Z ]{0,60}-----)?
    | \b(?:
          sk-(?=[\w-]{0,40}\d)[\w-]{16,}                # OpenAI, Anthropic and their like
        | (?:gh[oprsu]|github_pat)_\w{16,}
        | glpat-[\w-]{16,}
        | xox[abeprs]-[\w-]{10,}                        # Slack
        | (?:AKIA|ASIA)[0-9A-Z]{16}\b                   # AWS
        | AIza[\w-]{30,}                                # Google
        | (?:npm|hf)_[A-Za-z0-9]{30,}
        | pypi-[\w-]{30,}
        | eyJ[\w-]{10,500}+\.[\w-]{10,4000}+\.[\w-]{10,2000}  # a JSON web token
      )
    | (?P<user>://[^/\s:@]{0,100}:)[^/\s]{1,200}(?=@)     # a password in a URL
    | (?P<name>
          \b[Bb]earer[ ]{1,3}(?=[\w.~+/=-]{16})
        | (?<!\w)(?:[A-Z0-9]{1,40}_){0,8}(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)
          (?:_[A-Z0-9]{1,40}){0,8}=["']?(?=[^\s"']{6})  # a variable of the environment
      )[^\s"']{1,2000}
    """,
    re.VERBOSE,
)

R = TypeVar("R", bound=Record)


def masked(text: str) -> str:
    """The text with `[masked]` for keys, tokens and passwords, as far as their shape gives them away."""
    return _SECRETS.sub(lambda found: (found["user"] or found["name"] or "") + MASK, text)


def masked_record(record: R) -> R:
    """The same for every text in a record."""
    return with_texts(record, masked)
