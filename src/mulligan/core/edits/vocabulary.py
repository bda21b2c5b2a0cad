"""Words for opposites and alternatives: one of them is never a typo for another, however similar."""

COMMON_WORDS = frozenset((
    "add", "and", "any", "arg", "back", "base", "begin", "bit", "bool", "bytes", "char", "child", "class", "close",
    "code", "col", "copy", "count", "data", "date", "day", "debug", "decode", "decrease", "delete", "dest", "dir",
    "disable", "down", "dst", "elif", "else", "enable", "encode", "end", "enter", "error", "even", "exit", "export",
    "false", "file", "fill", "find", "first", "float", "fold", "form", "format", "found", "free", "from", "front",
    "get", "go", "got", "half", "hash", "head", "height", "hide", "high", "host", "if", "import", "in", "inc",
    "increase", "index", "init", "inner", "input", "insert", "int", "into", "is", "item", "join", "key", "last",
    "left", "len", "less", "let", "level", "line", "link", "list", "load", "local", "lock", "log", "long", "loop",
    "low", "lower", "make", "map", "mask", "match", "max", "mean", "merge", "min", "mode", "more", "move", "name",
    "near", "new", "next", "no", "node", "none", "not", "now", "null", "num", "odd", "of", "off", "offset", "old",
    "on", "one", "open", "or", "out", "outer", "output", "page", "parent", "part", "pass", "path", "pop", "port",
    "pos", "post", "pre", "prev", "public", "pull", "push", "put", "raise", "range", "rank", "rate", "raw", "read",
    "recv", "remove", "right", "root", "row", "run", "save", "seek", "select", "self", "send", "set", "shift",
    "short", "show", "side", "size", "sort", "source", "span", "src", "start", "state", "step", "stop", "store",
    "str", "string", "sub", "sum", "tag", "tail", "take", "target", "temp", "test", "text", "this", "thread", "time",
    "to", "token", "top", "total", "tree", "true", "two", "type", "under", "undo", "unload", "unlock", "unset",
    "until", "up", "upper", "use", "user", "val", "value", "var", "view", "wait", "walk", "width", "word", "write",
    "year", "zero",
))  # fmt: skip
