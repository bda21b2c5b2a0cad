"""The rules as data: what each program does, by name and subcommand."""

from collections.abc import Mapping

from mulligan.types.commands import CommandKind

Kinds = Mapping[str, CommandKind]


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


TEXT_PROGRAMS = names(
    """: [ arch basename break cal continue date dirname echo exit expr false getconf getopts hostname id let local
    locale logname nproc printf pwd read return seq shift shopt sleep test true type tty umask uname unset
    uptime wait whereis which whoami yes"""
)
"""Programs that read no files: a word that looks like a path is only text to them."""

LISTING_PROGRAMS = names("""du df file fd fdfind find ls lsof pathchk readlink realpath stat tree exa eza""")
"""Programs that show names, not contents."""

PATTERN_FIRST = names("""ack ag awk egrep fd fdfind fgrep gawk grep jq mawk rg sed yq""")
"""Their first operand is a pattern or a program, not a path."""

READING_PROGRAMS = names(
    """ack ag awk b2sum base64 bat cat cksum cloc cmp column comm cut diff egrep exiftool expand fgrep fmt fold free
    gawk grep groups head hexdump iconv join jobs jq look lscpu mawk md5sum nl nm numfmt objdump od paste pgrep
    pr ps readelf rev rg sed sha1sum sha256sum sha512sum size strings sum tac tail tokei tr tsort uniq unexpand
    wc xmllint xxd yq zcat zgrep sort"""
)

TEST_PROGRAMS = names(
    """ava bats busted ctest jest karma mocha nose2 nosetests nox pest phpunit prove py.test pytest rspec tap tape tox
    trial unittest vitest"""
)

LINT_PROGRAMS = names(
    """ansible-lint bandit basedpyright buf checkov clang-tidy codespell cppcheck cpplint djlint eslint flake8
    golangci-lint hadolint htmlhint interrogate jshint ktlint luacheck markdownlint mypy oxlint phpcs phpstan
    psalm pycodestyle pydocstyle pyflakes pylint pyright pyre pytype reek rubocop ruff selene shellcheck
    sqlfluff standard staticcheck stylelint swiftlint tflint tslint ty vale vulture yamllint"""
)

BUILD_PROGRAMS = names(
    """ar as asciidoctor c++ cc clang clang++ cmake compileall py_compile dune esbuild g++ gcc ghc javac kotlinc ld
    mdbook meson mkdocs ninja ocamlc parcel protoc ranlib rollup rustc scalac sphinx-build strip swc swiftc tsc
    webpack zig"""
)

NETWORK_PROGRAMS = names(
    """aria2c curl dig fetch gh glab host http https httpie lftp lynx nc ncat netcat nmap nslookup ping rclone rsync
    scp socat traceroute wget whois xh yt-dlp"""
)

INSTALL_PROGRAMS = names(
    """apk apt apt-get aptitude asdf brew choco conda corepack dnf dpkg easy_install emerge ensurepip flatpak gem guix
    mamba micromamba mise nix nix-env npm-check-updates nvm pacman pip pipenv pipx port pyenv rbenv rpm rustup
    scoop snap venv virtualenv volta yum zypper"""
)

WRITING_PROGRAMS = names(
    """bunzip2 bzip2 chgrp chmod chown cp cpio csplit dd ed ex fallocate gunzip gzip install ln mkdir mkfifo mktemp mv
    patch rename rm rmdir shred split tar tee touch truncate unlink unxz unzip unzstd xz zip zstd"""
)

LAST_IS_TARGET = frozenset({"cp", "install", "ln"})
"""They read all their paths but the last."""

NEEDS_TERMINAL = {
    **dict.fromkeys(
        ("vi", "vim", "nvim", "nano", "emacs", "pico", "micro", "hx", "code", "subl"),
        "is an editor, and there is no terminal: use edit_file or create_file.",
    ),
    **dict.fromkeys(
        ("less", "more", "most", "man", "info"),
        "is a pager, and there is no terminal: use cat, head, tail or view_file.",
    ),
    **dict.fromkeys(
        ("top", "htop", "btop", "watch", "tmux", "screen", "script", "dialog", "whiptail", "fzf", "gitk", "tig",
         "lazygit"),
        "needs a terminal, and there is none: use a command that prints and ends.",
    ),
    **dict.fromkeys(
        ("ssh", "telnet", "mosh", "ftp", "sftp"),
        "opens a session elsewhere, and there is no terminal: only this machine is at hand.",
    ),
}  # fmt: skip

DENIED_PROGRAMS = {
    **NEEDS_TERMINAL,
    **dict.fromkeys(
        ("sudo", "su", "doas", "pkexec", "runuser", "sudoedit", "chroot", "nsenter", "unshare"),
        "takes another user's rights: ask the user to run it.",
    ),
    **dict.fromkeys(
        ("shutdown", "reboot", "halt", "poweroff", "init", "telinit", "loginctl", "swapoff", "swapon", "kexec"),
        "stops or unsettles the machine.",
    ),
    **dict.fromkeys(
        ("mkfs", "fdisk", "sfdisk", "cfdisk", "parted", "wipefs", "mkswap", "mount", "umount", "losetup", "cryptsetup"),
        "works on disks, and may destroy what is on them.",
    ),
    **dict.fromkeys(
        ("useradd", "userdel", "usermod", "groupadd", "groupdel", "passwd", "chpasswd", "chsh", "visudo", "iptables",
         "nft", "ufw", "sysctl", "insmod", "modprobe", "rmmod"),
        "changes the machine itself, not the project.",
    ),
    **dict.fromkeys(
        ("killall", "pkill", "killall5", "skill", "xkill"),
        "ends processes by name, and may end some that are not yours: use kill with a process id.",
    ),
    **dict.fromkeys(
        ("setsid", "disown", "daemonize", "coproc", "start-stop-daemon", "bg"),
        "leaves a process running, but everything ends with the call: run it in the foreground.",
    ),
    **dict.fromkeys(
        ("at", "batch", "crontab", "systemd-run"),
        "leaves work to be run later, outside the project.",
    ),
    "printenv": "prints the environment, which may hold secrets.",
}  # fmt: skip

ASKED_PROGRAMS = {
    "alias": "gives commands other names",
    "enable": "changes what commands mean",
    "complete": "changes how the shell behaves",
    "parallel": "runs commands that are put together as it runs",
    "ssh-agent": "handles keys",
    "gpg": "handles keys",
    "openssl": "handles keys",
    "security": "handles keys",
}
"""Asked about, each with its own reason."""

PUBLISHES = "publishes, which can't be taken back: that is left to the user."

DENIED_SUBCOMMANDS: Mapping[str, Mapping[str, str]] = {
    "npm": dict.fromkeys(("publish", "unpublish", "deprecate", "login", "adduser", "token"), PUBLISHES),
    "yarn": {"publish": PUBLISHES},
    "pnpm": {"publish": PUBLISHES},
    "cargo": dict.fromkeys(("publish", "yank", "login", "owner"), PUBLISHES),
    "twine": {"upload": PUBLISHES},
    "poetry": {"publish": PUBLISHES},
    "uv": {"publish": PUBLISHES},
    "gem": {"push": PUBLISHES, "yank": PUBLISHES},
    "docker": {"push": PUBLISHES, "login": PUBLISHES},
    "docker-compose": {"push": PUBLISHES},
}

_SCRIPTS: Kinds = {
    "install": "install", "i": "install", "ci": "install", "add": "install", "remove": "install", "rm": "install",
    "uninstall": "install", "update": "install", "upgrade": "install", "up": "install", "link": "install",
    "dedupe": "install", "prune": "install", "rebuild": "install", "create": "install", "init": "install",
    "dlx": "install", "x": "install", "test": "test", "t": "test", "tst": "test", "ls": "read", "list": "read",
    "why": "read", "root": "read", "bin": "read", "--version": "read", "-v": "read", "help": "read", "start": "app",
    "audit": "network", "outdated": "network", "view": "network", "info": "network", "search": "network",
    "pack": "write",
}  # fmt: skip

SUBCOMMANDS: Mapping[str, Kinds] = {
    "npm": _SCRIPTS,
    "pnpm": _SCRIPTS,
    "yarn": {**_SCRIPTS, "": "install"},
    "bun": {**_SCRIPTS, "build": "build"},
    "deno": {"test": "test", "lint": "lint", "check": "lint", "run": "app", "fmt": "write", "install": "install",
             "add": "install", "cache": "network", "info": "read", "--version": "read", "bench": "test"},
    "go": {"test": "test", "vet": "lint", "build": "build", "run": "app", "get": "install", "install": "install",
           "list": "read", "env": "read", "version": "read", "doc": "read", "fmt": "write", "generate": "write",
           "fix": "write"},
    "cargo": {"test": "test", "t": "test", "nextest": "test", "bench": "test", "clippy": "lint", "check": "lint",
              "c": "lint", "build": "build", "b": "build", "doc": "build", "run": "app", "r": "app",
              "install": "install", "add": "install", "remove": "install", "update": "install", "fetch": "network",
              "search": "network", "metadata": "read", "tree": "read", "--version": "read", "-V": "read",
              "--list": "read", "fix": "write", "clean": "write", "new": "write", "init": "write"},
    "mvn": {"test": "test", "verify": "test", "compile": "build", "package": "build", "install": "build",
            "clean": "write", "--version": "read", "-v": "read", "deploy": "network"},
    "gradle": {"test": "test", "check": "test", "build": "build", "assemble": "build", "compileJava": "build",
               "tasks": "read", "dependencies": "read", "run": "app", "clean": "write", "--version": "read"},
    "dotnet": {"test": "test", "build": "build", "run": "app", "restore": "install", "add": "install",
               "--version": "read", "--info": "read", "clean": "write", "new": "write"},
    "swift": {"test": "test", "build": "build", "run": "app", "--version": "read"},
    "zig": {"test": "test", "build": "build", "run": "app", "version": "read"},
    "mix": {"test": "test", "credo": "lint", "compile": "build", "run": "app", "deps.get": "install"},
    "rails": {"test": "test", "runner": "app", "routes": "app", "about": "app", "stats": "app", "notes": "app",
              "zeitwerk:check": "lint", "new": "write", "generate": "write", "g": "write"},
    "artisan": {"test": "test", "*": "app"},
    "sbt": {"test": "test", "compile": "build", "run": "app"},
    "lein": {"test": "test", "compile": "build", "run": "app"},
    "bazel": {"test": "test", "build": "build", "run": "app", "query": "read"},
    "dart": {"test": "test", "analyze": "lint", "run": "app", "compile": "build", "format": "write"},
    "flutter": {"test": "test", "analyze": "lint", "build": "build"},
    "composer": {"test": "test", "validate": "lint", "show": "read", "install": "install", "update": "install",
                 "require": "install", "remove": "install", "dump-autoload": "write"},
    "bundle": {"install": "install", "update": "install", "add": "install", "": "install", "list": "read",
               "check": "read", "show": "read"},
    "pip": {"list": "read", "show": "read", "freeze": "read", "check": "read", "--version": "read", "-V": "read",
            "config": "read", "debug": "read", "index": "network", "download": "network"},
    "conda": {"list": "read", "info": "read"},
    "brew": {"list": "read"},
    "gem": {"list": "read", "env": "read"},
    "rustup": {"show": "read", "--version": "read"},
    "apt": {"list": "read"},
    "dpkg": {"-l": "read", "-L": "read", "-s": "read"},
    "uv": {"sync": "install", "add": "install", "remove": "install", "lock": "install", "pip": "install",
           "venv": "install", "tool": "install", "python": "install", "init": "write", "build": "build",
           "tree": "read", "--version": "read", "version": "read"},
    "poetry": {"install": "install", "add": "install", "remove": "install", "update": "install", "lock": "install",
               "show": "read", "check": "lint", "build": "build", "--version": "read"},
    "pdm": {"install": "install", "add": "install", "sync": "install", "list": "read", "build": "build"},
    "hatch": {"test": "test", "build": "build", "fmt": "write", "version": "read", "env": "install"},
    "coverage": {"report": "read", "html": "write", "xml": "write", "json": "write", "combine": "write",
                 "erase": "write"},
    "pre-commit": {"run": "write", "install": "install"},
    "http.server": {"*": "network"},
    "json.tool": {"*": "read"},
    "build": {"*": "build"},
}  # fmt: skip

SCRIPT_NAMES: tuple[tuple[str, CommandKind], ...] = (
    (r"(?:unit|e2e|integration)?[-_:]?(?:tests?|spec|check|verify|coverage)(?:[-_:].*)?", "test"),
    (
        r"(?:lint|typecheck|type-check|types|tsc|mypy|eslint)(?:[-_:](?!fix).*)?|(?:format|fmt|prettier)[-_:]check",
        "lint",
    ),
    (r"(?:build|compile|bundle|all|docs?|dist)(?:[-_:].*)?", "build"),
    (r"start|dev|serve|run|preview", "app"),
    (r"install(?:[-_:].*)?|deps|bootstrap|setup", "install"),
    (r"clean(?:[-_:].*)?|(?:fix|fmt|format)(?:[-_:].*)?|lint[-_:]fix", "write"),
)
"""Kinds of package.json scripts and Makefile targets, by name. Any other is unknown."""

CHECK_ONLY: Mapping[str, frozenset[str]] = {
    "black": frozenset({"--check", "--diff", "--version"}),
    "isort": frozenset({"--check", "--check-only", "-c", "--diff"}),
    "prettier": frozenset({"--check", "-c", "-l", "--list-different"}),
    "gofmt": frozenset({"-l", "-d"}),
    "goimports": frozenset({"-l", "-d"}),
    "rustfmt": frozenset({"--check"}),
    "ruff format": frozenset({"--check", "--diff"}),
    "cargo fmt": frozenset({"--check"}),
    "autopep8": frozenset({"--diff", "-d"}),
    "yapf": frozenset({"--diff", "-d"}),
    "clang-format": frozenset({"--dry-run", "-n"}),
    "shfmt": frozenset({"-d", "-l"}),
    "pyupgrade": frozenset(),
    "php-cs-fixer": frozenset({"--dry-run"}),
    "pint": frozenset({"--test"}),
    "mix format": frozenset({"--check-formatted", "--dry-run"}),
    "dotnet format": frozenset({"--verify-no-changes"}),
    "biome": frozenset(),
    "terraform fmt": frozenset({"-check"}),
    "dprint": frozenset(),
}
"""Formatters: they write, unless given one of these options."""

WRITES_WITH: Mapping[str, frozenset[str]] = {
    "autopep8": frozenset({"-i", "--in-place"}),
    "yapf": frozenset({"-i", "--in-place"}),
    "clang-format": frozenset({"-i"}),
    "gofmt": frozenset({"-w"}),
    "goimports": frozenset({"-w"}),
    "shfmt": frozenset({"-w"}),
    "prettier": frozenset({"--write", "-w"}),
    "sort": frozenset({"-o", "--output", "--compress-program"}),
    "tree": frozenset({"-o"}),
    "xxd": frozenset({"-r"}),
    "xmllint": frozenset({"-o", "--output"}),
    "rg": frozenset({"--pre", "--hostname-bin"}),
    "yq": frozenset({"-i", "--inplace"}),
    "rubocop": frozenset({"-a", "-A", "--autocorrect", "--autocorrect-all", "--auto-correct"}),
    "clang-tidy": frozenset({"--fix", "-fix"}),
    "codespell": frozenset({"-w", "--write-changes"}),
    "markdownlint": frozenset({"-f", "--fix"}),
}
"""Options that make a reading or checking program write. `--fix` and `--write` do so for every linter."""

KIND_OF_PROGRAM: Mapping[str, CommandKind] = {
    **dict.fromkeys(TEXT_PROGRAMS | LISTING_PROGRAMS | READING_PROGRAMS, "read"),
    **dict.fromkeys(BUILD_PROGRAMS, "build"),
    **dict.fromkeys(LINT_PROGRAMS, "lint"),
    **dict.fromkeys(TEST_PROGRAMS, "test"),
    **dict.fromkeys(NETWORK_PROGRAMS, "network"),
    **dict.fromkeys(INSTALL_PROGRAMS, "install"),
    **dict.fromkeys(WRITING_PROGRAMS, "write"),
}
