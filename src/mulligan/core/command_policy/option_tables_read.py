"""Options of programs that read: of the shell's own commands, of those that show names, and of those that show text."""

READING = """\
: , true , false , arch , tty , logname , break , continue , nproc , echo , test , [ , basename , dirname | free
printf | pattern **
pwd | -LP
exit , return | ~
date | -uR -d: -I? -r< --utc --date: --iso-8601? --rfc-3339: --reference< ^+
cal | -13jmy ~*
expr | :*
seq | -w -s: -f: --separator: --format: --equal-width ~*
sleep | ~*
uname | -amnrsvpio --all --kernel-name
hostname | -sfiI
id | -ugnGr ~
whoami , uptime , groups |
locale | -a
getconf | ~*
type | -atpP ~*
which , whereis | -abs :*
umask | -S
wait | ~*
jobs | -l
yes | :*
read | -r -p: -n~ -t~ -d: ~*
set | -eux -o=pipefail|errexit|nounset
shopt | -s=globstar|nullglob
export , readonly , local , declare , typeset | ~*
cd , pushd | -LP <
popd |

ls , dir , vdir | any -aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -ITw: --all --almost-all --author --escape --color?
    --classify? --directory --human-readable --si --inode --dereference --ignore: --hide: --full-time
    --group-directories-first --no-group --size --sort: --time: --time-style: --recursive --reverse --width: --format:
    --literal --zero <*
exa , eza | -1laAhHrRTdFGgimSUuBbxn -LsI: --tree --long --all --level: --git --git-ignore --icons? --sort: --color?
    --header --group-directories-first --only-dirs --ignore-glob: --no-user --no-time --no-permissions <*
tree | -adfilxpsughDFqNQnCAStrcUvJX -LPI: --noreport --dirsfirst --filesfirst --gitignore --prune --du --charset:
    --sort: --matchdirs --ignore-case --metafirst --inodes --device --filelimit: --timefmt: <*
du | any -abchkmsxlLDHS0 -dtB: --all --summarize --human-readable --total --max-depth: --exclude: --apparent-size
    --bytes --si --one-file-system --block-size: --time? --threshold: <*
df | -ahHiklPT -txB: --human-readable --total --type: --output? --portability --inodes --local <*
file | -bhikLNnprs0 -F: --brief --mime --mime-type --mime-encoding --dereference --no-dereference --extension <*
stat | any -fLt -c: --format: --printf: --dereference --file-system --terse <*
readlink | any -fenmqsvz --canonicalize --no-newline <*
realpath | any -eLmPqsz --relative-to< --relative-base< --strip --no-symlinks <*
pathchk | -pP <*
find | words -L -P -H <* ! ( ) , -not -o -or -a -and -print -print0 -ls -prune -quit -depth -d -mount -xdev -follow
    -daystart -noleaf -true -false -empty -executable -readable -writable -nouser -nogroup -name: -iname: -path:
    -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -type: -xtype: -size: -mtime: -mmin: -atime: -amin:
    -ctime: -cmin: -newer< -anewer< -cnewer< -newermt: -newerct: -samefile< -maxdepth: -mindepth: -printf: -user:
    -group: -uid: -gid: -perm: -links: -inum: -lname: -ilname: -fstype: -used: -ignore_readdir_race -warn -nowarn
fd , fdfind | -HIugsiFaplL01q -edEtS: -c~ -j~ --hidden --no-ignore --glob --regex --fixed-strings --absolute-path
    --list-details --full-path --extension: --type: --max-depth: --min-depth: --exclude: --max-results:
    --changed-within: --changed-before: --case-sensitive --ignore-case --print0 --color: --size: --unrestricted
    --no-ignore-vcs --follow pattern <*

cat | any -AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --show-nonprinting
    <*
head | any -nc: -qvz -# --lines: --bytes: --quiet --silent --verbose <*
tail | -nc: -qvzr -# --lines: --bytes: --quiet --silent --verbose <*
tac | -br -s: --before --regex --separator: <*
nl | any -bdfhilnsvw: -p --body-numbering: --number-width: <*
rev , sum , tsort | <*
wc | any -clmwL --lines --words --chars --bytes --max-line-length <*
grep , egrep , fgrep | any -abcEFGhHiIlLnoPqrRsTUvwxyzZ -e:! -f<! -ABCmdD: -# --include< --exclude: --exclude-dir:
    --color? --colour? --regexp:! --count --extended-regexp --fixed-strings --perl-regexp --basic-regexp
    --files-with-matches --files-without-match --ignore-case --no-ignore-case --invert-match --line-number
    --line-regexp --max-count: --no-filename --with-filename --no-messages --only-matching --quiet --silent
    --recursive --dereference-recursive --word-regexp --after-context: --before-context: --context: --text
    --binary-files: --null --null-data --line-buffered --byte-offset --initial-tab --group-separator:
    --no-group-separator pattern <*
zgrep | -abcEFhHilnoqsvwx -e:! -ABCm~ pattern <*
zcat | <*
rg | -abcFhHiIlLnNopPqsSUuvwx0. -e:! -f<! -ABCdmMgtTrEj: --regexp:! --after-context: --before-context: --context:
    --count --count-matches --column --color: --colors: --files! --files-with-matches --files-without-match
    --fixed-strings --glob: --iglob: --heading --no-heading --hidden --no-hidden --ignore-case --case-sensitive
    --smart-case --invert-match --json --line-number --no-line-number --line-regexp --max-count: --max-columns:
    --max-columns-preview --max-depth: --max-filesize: --multiline --multiline-dotall --no-filename --no-ignore
    --no-ignore-vcs --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --replace: --sort:
    --sortr: --stats --text --threads: --trim --type: --type-not: --type-list! --type-add: --unrestricted --vimgrep
    --with-filename --word-regexp --no-config --no-unicode --crlf --glob-case-insensitive --one-file-system --follow
    --engine: --byte-offset pattern <*
ag , ack | -ilLnwvcQqsaHhor --hidden --python --js --literal --nocolor --nogroup --nopager --noheading --type:
    --ignore-dir: pattern <*
sed | -nErsuz -e:! --expression:! --quiet --silent --regexp-extended --null-data --separate --unbuffered --posix
    --debug --sandbox pattern <*
awk , gawk , mawk , nawk | -F: -v: pattern <*
jq | -rcnsSejMCRa --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --join-output
    --monochrome-output --color-output --raw-input --tab --indent~ --arg:: --argjson:: pattern <*
yq | -rPMCNjen -o~ -p~ -I~ --output-format~ --input-format~ --prettyPrint --no-colors --unwrapScalar? pattern <*
sort | -bcCdfghimMnrRsuVz -k: -t: -S~ --reverse --numeric-sort --unique --key: --field-separator: --human-numeric-sort
    --version-sort --ignore-case --general-numeric-sort --stable --check? --parallel~ --ignore-leading-blanks
    --dictionary-order --month-sort --zero-terminated --ignore-nonprinting --merge --debug <*
uniq | -cdDiuz -fsw~ --count --repeated --unique --ignore-case --skip-fields~ --skip-chars~ --check-chars~
    --all-repeated? <
cut | -snz -bcdf: --bytes: --characters: --delimiter: --fields: --only-delimited --complement --output-delimiter: <*
paste | -sz -d: --delimiters: --serial <*
join | -iz -12atoev: --header --check-order --nocheck-order < <
comm | -123z --check-order --nocheck-order --output-delimiter: --total < <
tr | -cCdst --complement --delete --squeeze-repeats --truncate-set1 :*
column | -txJ -scoN: --table --separator: --json --table-columns: --output-separator: <*
expand , unexpand | -ai -t: --tabs: --all --initial --first-only <*
fmt , fold | -bsu -w: --width: --spaces --bytes <*
diff | -abBcdeEinNpqrstTuwyZ -U~ -C~ -W~ -x: -I: -F: --brief --unified? --context? --side-by-side --recursive
    --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --new-file
    --text --report-identical-files --suppress-common-lines --color? --exclude: --width~ --strip-trailing-cr --label:
    --minimal --show-c-function --no-dereference --normal --left-column --ignore-matching-lines:
    --ignore-tab-expansion < <
cmp | -bls -n~ -i~ --silent --quiet --verbose --print-bytes < <
cksum , b2sum , md5sum , sha1sum , sha256sum , sha512sum , md5 , shasum | -btz -a~ --tag --binary --text <*
base64 , base32 | -di -w~ --decode --wrap~ <
iconv | -cls -f~ -t~ --from-code~ --to-code~ --list <*
od | -abcdfhilosxv -AjNtS: --address-radix: --skip-bytes: --read-bytes: --format: --output-duplicates <*
hexdump , hd | -bcCdovx -ns~ <*
xxd | -abeiupC -clsgo~ --len~ --seek~ --cols~ --plain --bits <
strings | -aw -n~ -t~ -e~ --all --bytes~ <*
nm | -aACDglnopPrSu --demangle? --defined-only --undefined-only --extern-only --dynamic --numeric-sort --print-size <*
objdump | -dDfhprtTxCw --disassemble --syms --demangle? --all-headers <*
readelf | -aehlSgsdVrWn --all --file-header --sections --symbols --dynamic --wide <*
size | -ABtdox --format~ <*
xmllint | --noout --format --xpath: --html --nonet <*
bat , batcat | -pnAPu -rl: --plain --number --line-range: --style: --color: --paging=never --language: --show-all
    --decorations: <*
cloc , tokei | --json --by-file --quiet --exclude-dir: --files --hidden --sort: -f -e: -t: <*
ps | -ef -pCu~ -A -F =aux|auxww|ax|axjf
pgrep | -flaxn -u~ :*
free , lscpu | -bkmghtw --human
tar | -tvzjJf <*
unzip | -lqv < <*
numfmt | --to~ --from~ --suffix~ ~*
json.tool | --sort-keys --indent~ --compact --no-ensure-ascii --json-lines <
"""
