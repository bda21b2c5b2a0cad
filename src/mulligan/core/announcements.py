"""Whether a reply ends by announcing work that it did not do: "Let me now update the file." and no call."""

import re

from mulligan.runtime.late_pattern import late_pattern

_TAIL = 800
"""Characters to check at the end of the reply."""
_MAX_SENTENCE_CHARS = 300
"""A longer sentence explains more than it announces."""
_PLAIN = str.maketrans({"\u2019": "'", "\u2013": "-", "\u2014": "-", "\u2026": "..."})
_SENTENCE_END = late_pattern(r"(?<=[.!?:])[\"')*_]{0,3}+\s+|\n+")
_LIST_MARK = late_pattern(r"(?:[-*#>\s]|\d{1,2}[.)])*+")
_EMPHASIS = "*_` \t\r\n"

_LEAD = r"""(?: (?: ok(?:ay)?|sure(?:\ thing)?|great|al(?:l\ )?right|right|good|perfect|excellent|certainly|absolutely
      |well|of\ course|now|next(?:\ up)?|then|first(?:ly|\ of\ all)?|second(?:ly)?|so|and|but|finally|lastly|got\ it
      |understood|i\ see|hmm+|wait|actually|yes|thanks|thank\ you|also|instead|therefore|hence|meanwhile
      |(?: to|for|based\ on|given|since|as|because|before|after|from|in\ order\ to|with|using|by|now\ that
        |i've|i\ have|i\ found|the|it|there|this ) \ [^.!?\n]{1,120}? )
    (?: \s*+[,;:!-]++\s*+ | \s++(?=i\b|let\b) ) (?:(?:so|and|but|then|now|next)\ )*+ ){0,3}"""
"""Words that may come before the announcement in the same sentence."""
_INTENT = r"""(?: let\ me|let's|let\ us|(?:i|we)'?ll|i\ will|i(?:'?m|\ am)\ (?:now\ )?(?:going|about)\ to
    |i\ (?:need|have|want|plan|intend)\ to|i'?d\ like\ to|i\ must|i\ (?:can|should)(?=\ (?:now|first))
    |we\ (?:need\ to|will|can)(?=\ (?:now|first))|time\ to|now\ to )"""
_ADVERB = r"""(?: \ (?: now|first|then|next|also|just|quickly|simply|briefly|immediately|carefully|start\ by|begin\ by
    |go\ ahead\ and|proceed\ (?:to|with|by)|need\ to|have\ to|try\ to|try\ and|continue\ (?:to|by|with)|start|begin
    |attempt\ to|use\ \S{1,40}\ to|take\ a\ (?:closer|quick) ) ){0,4}"""
_STEMS = r"""(?: look|check|read|open|view|inspect|examin|explor|search|grep|find|list|scan|review|run|execut|call|invok
    |us|try|test|verif|updat|edit|modif|chang|fix|add|creat|writ|implement|mak|appl|replac|remov|delet|renam|mov|refactor
    |insert|patch|install|build|compil|proceed|start|begin|gather|fetch|get|dig|investigat|analy[sz]|trac|see|locat
    |identif|determin|figur|confirm|rewrit|generat|set|load|do|work|go\ (?:through|ahead|over)|reproduc|debug|commit|sav
    |rerun|adjust|correct|query|pull|continu|address|improv|clean|wir|extract|tak|put|print|collect|study|understand
    |double-check|re-?run|re-?read|re-?check|fill|extend|convert|switch|restor|revert|split|merg|import|export|declar
    |defin|handl|resolv )"""
"""Stems of verbs for things that need a tool."""
_ANNOUNCES = late_pattern(rf"^{_LEAD}{_INTENT}{_ADVERB}\ ?{_STEMS}(?:e|y|[a-z]?ing)?\b", re.VERBOSE | re.IGNORECASE)
_UNDER_WAY = late_pattern(
    rf"""^(?:(?:ok(?:ay)?|sure|now|next|first|currently|i'?m|i\ am)[,.!]?\ )*+ {_STEMS}[a-z]?ing\b [^.?!]{{0,200}}
    (?: \ now[.!]* | : | \.\.\. | \ (?:first|next)[.!] )$""",
    re.VERBOSE | re.IGNORECASE,
)
"""`Running the tests now...`"""
_NOT_AT_ONCE = late_pattern(
    r"""\b(?: let\ me\ know|if|unless|until|once|would|could|whenever|whatever|(?:when|after|before|as\ soon\ as)\ you
    |next\ time|in\ (?:the|a)\ (?:future|later|follow-?up|separate|subsequent)|later|tomorrow|from\ now\ on
    |going\ forward|please|wait|you\ (?:can|may|should|need|must|will|want)
    |your\ (?:confirmation|approval|answer|reply|input|decision)|can't|cannot|could\ not|unable|not\ able|don't\ have
    |do\ not\ have|won't|not\ going\ to|have\ already|no\ longer
    |nothing|more\ information|do\ my\ best|(?:update|get\ back\ to|show|tell|give|send|walk|help)\ you )\b | \?$""",
    re.VERBOSE | re.IGNORECASE,
)
"""The announced work waits for the user or for another time, or the sentence says why it is not done."""
_FILLER = late_pattern(
    r"^(?:one moment|just a (?:moment|second|sec|minute)|please (?:wait|hold on|stand by)|hold on|bear with me|stand by"
    r"|this (?:will|should|may|might) [^?]{1,120}|it (?:will|should) [^?]{1,80})[.!:]*$",
    re.IGNORECASE,
)


def announces(text: str) -> bool:
    """Whether the text ends by saying what the model will do next, immediately and without the user."""
    tail = text.strip()[-_TAIL:].translate(_PLAIN)
    if tail.endswith(("```", "~~~")):
        return False
    sentences = [sentence for each in _SENTENCE_END.split(tail) if (sentence := _undecorated(each))]
    while len(sentences) > 1 and _FILLER.match(sentences[-1]):
        sentences.pop()
    last = sentences[-1] if sentences else ""
    if not last or len(last) > _MAX_SENTENCE_CHARS or _NOT_AT_ONCE.search(last):
        return False
    return bool(_ANNOUNCES.match(last) or _UNDER_WAY.match(last))


def _undecorated(sentence: str) -> str:
    marks = _LIST_MARK.match(sentence)
    return sentence[marks.end() if marks else 0 :].rstrip(_EMPHASIS)
