"""Options of the git commands that only read."""

GIT = """\
.diff | -pusbwaDRzW -MCB? -U~ -S: -G: -l~ --patch --no-patch --unified: --stat? --numstat --shortstat --summary
    --name-only --name-status --color? --no-color --word-diff? --word-diff-regex: --color-words? --diff-filter:
    --find-renames? --find-copies? --no-renames --minimal --patience --histogram --diff-algorithm: --ignore-all-space
    --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --exit-code --quiet --check
    --full-index --abbrev? --binary --text --relative? --no-relative --inter-hunk-context: --function-context
    --no-prefix --src-prefix: --dst-prefix: --submodule? --ignore-submodules? --no-ext-diff --no-textconv --raw
    --dirstat? --compact-summary --pickaxe-all --pickaxe-regex --no-indent-heuristic --indent-heuristic --color-moved?
    --cc -c
.log | -n: -i -E -F -P -L: -g -t -m -# --oneline --graph --all --decorate? --no-decorate --decorate-refs: --author:
    --committer: --since: --until: --after: --before: --grep: --invert-grep --all-match --regexp-ignore-case
    --extended-regexp --fixed-strings --perl-regexp --follow --no-merges --merges --first-parent --reverse --format:
    --pretty? --date: --abbrev-commit --no-abbrev-commit --max-count: --skip: --branches? --tags? --remotes?
    --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --topo-order --date-order
    --author-date-order --no-walk --walk-reflogs --full-history --simplify-merges --ancestry-path --boundary --parents
    --children --source --min-parents: --max-parents: --simplify-by-decoration --notes? --no-notes --root
    --relative-date --encoding: --mailmap
git log , git show , git whatchanged , git reflog show , git stash show | &.diff &.log <*
git reflog | &.log =HEAD|main|master
git diff , git diff-index , git diff-files , git range-diff | &.diff --cached --staged --merge-base -0 -1 -2 -3 --base
    --ours --theirs -q <*
git diff-tree | &.diff &.log -r --no-commit-id --stdin <*
git stash list | &.log
git status | -sbvz -u? --short --branch --porcelain? --long --verbose --show-stash --untracked-files? --ignored?
    --no-renames --find-renames? --ahead-behind --no-ahead-behind --column? --no-column --ignore-submodules? <*
git blame , git annotate | -bcefknpstwl -L: -MC? --date: --porcelain --line-porcelain --root --show-stats --show-email
    --show-name --show-number --abbrev: --ignore-rev: --since: --first-parent --reverse <*
git grep | -abcEFGhHiIlLnopPqrvwWz0 -e:! -ABC~ -m~ -# --and --or --not --all-match --cached --untracked
    --recurse-submodules --count --extended-regexp --fixed-strings --perl-regexp --basic-regexp --files-with-matches
    --name-only --files-without-match --full-name --heading --break --ignore-case --invert-match --line-number
    --column --max-depth~ --only-matching --quiet --show-function --function-context --word-regexp --after-context~
    --before-context~ --context~ --text --color? --no-color --threads~ --max-count~ --exclude-standard pattern <*
git ls-files | -cdmosuktvfzi -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed
    --directory --exclude: --exclude-standard --error-unmatch --full-name --abbrev? --eol --recurse-submodules
    --deduplicate --no-empty-directory --format: <*
git ls-tree | -drtlz --long --name-only --name-status --full-name --full-tree --object-only --abbrev? --format: <*
git cat-file | -pets --batch-check? --batch-all-objects --unordered <*
git rev-parse | -q --quiet --short? --abbrev-ref? --verify --show-toplevel --show-prefix --show-cdup
    --show-superproject-working-tree --is-inside-work-tree --is-inside-git-dir --is-bare-repository
    --is-shallow-repository --git-dir --absolute-git-dir --git-common-dir --symbolic --symbolic-full-name --all
    --branches? --tags? --remotes? --show-object-format? <*
git rev-list | &.log --count --objects --no-object-names --use-bitmap-index --disk-usage? <*
git merge-base | -a --all --octopus --independent --is-ancestor --fork-point <*
git describe | --all --tags --contains --abbrev: --candidates: --exact-match --long --match: --exclude: --always
    --first-parent --dirty? --broken? <*
git shortlog | -nsec --numbered --summary --email --committer --group: --since: --until: --no-merges --all <*
git name-rev , git cherry , git show-branch , git var , git check-attr , git count-objects | -avHv --all --tags
    --name-only --verbose --human-readable --always --list --more: <*
git for-each-ref , git show-ref | -dsqp --count~ --format: --sort: --points-at: --merged? --no-merged? --contains?
    --heads --tags --branches --head --verify --hash? --abbrev? --dereference --quiet <*
git check-ignore | -qvn --quiet --verbose --non-matching --no-index <*
git fsck | --full --no-dangling --unreachable --no-progress --connectivity-only
git |
git version , git --version , git --help | --build-options
git branch | -arvli -# --all --remotes --verbose --list --show-current --contains --no-contains --merged --no-merged
    --sort: --format: --points-at: --column? --no-column --color? --no-color --abbrev: --ignore-case <*
git tag | -li -n? --list --contains --no-contains --merged --no-merged --sort: --format: --points-at: --column?
    --color? <*
git remote | -v --verbose
git remote get-url | --all --push ~
git worktree list | -vz --verbose --porcelain
git config | -lz --get --get-all --get-regexp --list --show-origin --show-scope --name-only --local --null --type~
    --bool --int --includes --no-includes --default: :*
git clean | -nfdxXq --dry-run --quiet <*
git apply | --check --stat --numstat --summary -v -p~ --verbose --reverse -R <*
git symbolic-ref | -q --short --quiet ~
git notes list , git notes show , git submodule status , git bisect log | --recursive --cached <*
"""
