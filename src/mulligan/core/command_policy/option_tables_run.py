"""Options of programs that run the project's code, its tests and builds, and of those that run another program."""

RUNNING = """\
python , pypy | -bBdEIOqsSuvVh -W=error|ignore|default|always|once -m** --version --help < **
node | --test --check --version -v --help --enable-source-maps --trace-warnings --no-warnings --trace-uncaught
    --max-old-space-size~ --expose-gc --test-name-pattern: --test-only --test-concurrency~ --experimental-strip-types
    < **
tsx , ts-node , lua , Rscript , julia , elixir | --version -v --help < **
ruby | -wcv -I< --version --help < **
perl | -wcv --version --help < **
php | -lvn --version --help -f< < **
java | words -jar< -cp< -classpath< -ea -version --version -Xmx~+ -Xms~+ < **
sh , bash , zsh , dash , ksh , ash | -cefhlnuvx -o=pipefail|errexit|nounset --norc --noprofile --login --posix
    --version < **
source , . | < **
deno test , deno bench | --filter: --fail-fast --coverage --quiet -q --no-check --parallel <*
deno lint , deno check , deno info | --quiet -q --json <*
deno run | < **

timeout | -v -ks~ --preserve-status --foreground --kill-after~ --signal~ --verbose ~ **
nice | -n~ -# --adjustment~ **
ionice | -c~ -n~ --class~ --classdata~ **
time | -pv -f: --format: --portability --verbose **
stdbuf | -ioe~ --input~ --output~ --error~ **
nohup , command , builtin , exec , unbuffer , caffeinate , xvfb-run | **
taskset | -c ~ **
env | -i -u~ --ignore-environment --unset~ **
xargs | -0rtx -nPLIdEs: --null --no-run-if-empty --verbose --max-args~ --max-procs~ --max-lines? --delimiter: --exit
    **
uv run | -q -m** --quiet --extra~ --group~ --all-extras --no-sync --frozen --locked --offline --module** --dev
    --isolated **
poetry run , pipenv run , pdm run , rye run , hatch run , bundle exec , bun x , npm exec , pnpm exec , yarn exec | -q
    --quiet **
composer exec | -q --quiet **
conda run | -n~ --name~ --no-capture-output **
coverage run | -ap -m** --branch --source~ --omit: --include: --append --parallel-mode < **
npx , bunx , uvx , pnpm dlx , yarn dlx , pipx run | --no-install --no --quiet -q **

pytest , py.test | -qvxslV -rn~ -km: -p^no: -W=error|ignore|default|always -h --version --help --tb~ --maxfail~ --lf
    --ff --nf --sw --last-failed --failed-first --new-first --stepwise --stepwise-skip --co --collect-only --no-header
    --no-summary --durations~ --durations-min~ --cov? --cov-report^term --cov-branch --no-cov --cov-fail-under~
    --disable-warnings --disable-pytest-warnings --import-mode~ --strict-markers --strict-config --strict --showlocals
    --show-capture~ --capture~ --color~ --timeout~ --timeout-method~ --deselect: --ignore: --ignore-glob: --verbose
    --quiet --exitfirst --setup-show --setup-only --setup-plan --fixtures --fixtures-per-test --markers --full-trace
    --runxfail --doctest-modules --doctest-continue-on-failure --reruns~ --reruns-delay~ --dist~ --numprocesses~
    --maxprocesses~ --asyncio-mode~ --benchmark-skip --benchmark-only --hypothesis-seed~ --hypothesis-profile~
    --hypothesis-show-statistics --randomly-seed~ --runslow --run-slow --no-migrations --reuse-db --create-db --ds~
    --cache-clear --cache-show? --snapshot-details --random-order --no-cov-on-fail --verbosity~ --no-showlocals
    --xfail-tb --code-highlight~ --suppress-no-test-exit-code --trace-config
    --inline-snapshot=disable|report|short-report <*
unittest | -vqfbc -k: --verbose --quiet --failfast --buffer --locals <*
unittest discover | -vqfbc -s< -t< -p: -k: --verbose --quiet --failfast --buffer --start-directory< --pattern:
    --top-level-directory< <*
nose2 , nosetests , trial | -vqx <*
tox | -qvlap -e~ --quiet --verbose --skip-missing-interpreters? --listenvs
nox | -l -s~ -e~ --list --sessions~ --session~ -R -r
jest | -it: -w~ --ci --coverage --silent --verbose --testNamePattern: --testPathPattern: --testPathPatterns:
    --runInBand --bail --watchAll=false --watch=false --passWithNoTests --maxWorkers~ --detectOpenHandles --forceExit
    --findRelatedTests --listTests --no-coverage --colors --no-cache --testTimeout~ --selectProjects~ --runTestsByPath
    --onlyChanged -o --onlyFailures --color --no-color --version --expand --errorOnDeprecated --logHeapUsage
    --showSeed --seed~ <*
vitest , vitest run , vitest related | -t: --run --coverage --silent --testNamePattern: --bail~ --passWithNoTests
    --no-coverage --watch=false --no-watch --no-color
    --reporter=verbose|default|dot|basic|tap|json|junit|hanging-process --project~ --typecheck --no-file-parallelism
    --allowOnly --version --retry~ --testTimeout~ --pool~ --changed --dom --environment~ <*
mocha | -bc -g: -f: -t~ -R=spec|dot|min|tap|list|progress --grep: --fgrep: --invert --timeout~ --bail --exit
    --recursive --color --reporter=spec|dot|min|tap|list|progress --parallel --forbid-only --sort --dry-run --version
    <*
ava , tap , tape , karma | --verbose -v --serial --fail-fast --version <*
rspec | -f~ -e: -t~ --format=progress|documentation|p|d --color --no-color --fail-fast --order~ --seed~ --tag~
    --only-failures --next-failure --dry-run --backtrace -b --example: <*
phpunit , pest | -v --verbose --filter: --testsuite~ --group~ --exclude-group~ --stop-on-failure --stop-on-error
    --testdox --colors? --no-coverage --list-tests --display-warnings --display-deprecations --version <*
bats | -rtpT -f: -j~ --filter: --jobs~ --recursive --tap --pretty --timing --print-output-on-failure --verbose-run
    --count <*
prove | -vrlbq -j~ --verbose --recurse --lib --jobs~ --timer --color --nocolor --failures <*
busted | --verbose -v <*
ctest | words -V -VV -N -Q -R: -E: -L: -LE: -j~+ -C~ -I~ --output-on-failure --verbose --extra-verbose --parallel~
    --test-dir< --rerun-failed --stop-on-failure --progress --quiet --show-only? --timeout~ --repeat~ --no-tests~
    --schedule-random --version

.script | -tg: --watch=false --watchAll=false --run --ci --coverage --no-coverage --silent --verbose --runInBand -i
    --bail --testNamePattern: --testPathPattern: --testPathPatterns: --grep: --filter: --passWithNoTests
    --max-warnings~ --quiet --noEmit --no-watch --forceExit --detectOpenHandles --browsers=ChromeHeadless -v -q <*
npm test , npm t , npm tst , pnpm test , pnpm t , yarn test , bun test | -s --silent --workspaces --if-present
    --{.script} <*
npm run , npm run-script , pnpm run , yarn run , bun run | -s --silent --workspaces --if-present ~ --{.script} <*
npm start , pnpm start , yarn start , bun start | --silent -s
yarn , pnpm , bun | ~ --{.script} <*
npm ls , npm list , pnpm ls , pnpm list , yarn list , bun list | -ag --all --depth~ --json --long --prod --dev
    --parseable --link ~*
npm why , pnpm why , yarn why , npm root , npm bin , pnpm root , pnpm bin , yarn bin | -g --json ~*
npm --version , npm -v , yarn --version , yarn -v , pnpm --version , pnpm -v , bun --version , bun -v |
bun build | <*

make , gmake | -ksniBwqt -j? -l? -C< -O? --jobs? --keep-going --silent --quiet --just-print --dry-run --always-make
    --no-print-directory --output-sync? --directory< --ignore-errors --print-directory --question
    --warn-undefined-variables --version ~*
just , task , rake , invoke | -q -l --list --quiet --dry-run -n -T ~*
go test | words &.go -run: -skip: -count~ -short -cover -covermode~ -coverpkg: -coverprofile> -timeout~ -bench:
    -benchmem -benchtime~ -failfast -json -parallel~ -cpu~ -shuffle~ -list: -c -vet~ -fullpath <*
.go | -v -x -n -a -race -msan -tags~ -p~ -trimpath -work -buildvcs~ -mod=readonly|vendor
go build , go vet | words &.go -o> <*
go run | words &.go < **
go list | words -f: -json -m -deps -test -e -compiled -find -export -tags~ <*
go env | words -json -changed ~*
go version | words -v
go doc | words -all -u -src -short -c -cmd ~*
.cargo | -qvr -jpF~ --release --all --workspace --all-features --features: --no-default-features --package~ --lib
    --bins --bin~ --tests --test~ --example~ --examples --benches --bench~ --all-targets --doc --no-run --no-fail-fast
    --quiet --verbose --jobs~ --locked --offline --frozen --message-format~ --color~ --exclude~ --profile~
    --keep-going --ignore-rust-version
cargo test , cargo t , cargo bench , cargo nextest run | &.cargo --** --no-capture --nocapture ~*
cargo build , cargo b , cargo check , cargo c | &.cargo
cargo doc | &.cargo --no-deps --document-private-items
cargo clippy | &.cargo --no-deps --{.lints}
.lints | -DWAF~ --deny~ --warn~ --allow~ --forbid~
cargo run , cargo r | &.cargo --** **
cargo fmt | --check --all -v -q
cargo tree , cargo metadata | -die~ -p~ --depth~ --edges~ --invert~ --no-dedupe --duplicates --all-features
    --features: --no-deps --format-version~ --locked --offline --prefix~ --package~ --workspace
cargo --version , cargo -V , cargo --list |
mvn | words -q -B -o -e -X -T~ -pl: -am -amd -fae -ff -fn -ntp -N -DskipTests? -DskipITs? -Dtest? -Dit.test?
    -DfailIfNoTests? -Dmaven.test.skip? -Dsurefire.failIfNoSpecifiedTests? -Dstyle.color? --quiet --batch-mode
    --offline --errors --fail-at-end --fail-fast --no-transfer-progress --also-make --projects: --version -v ~*
gradle | -qisda -x~ --quiet --info --stacktrace --debug --offline --no-daemon --daemon --console~ --continue --tests:
    --exclude-task~ --parallel --rerun-tasks --no-build-cache --build-cache --warning-mode~ --no-parallel --version
    --dry-run -m --fail-fast ~*
dotnet test , dotnet build | -c~ -v~ --configuration~ --verbosity~ --no-restore --no-build --nologo --filter:
    --framework~ -f~ <*
dotnet run | --no-restore --no-build -c~ --configuration~ --** <*
dotnet --version , dotnet --info , swift --version , zig version , gradle --version |
swift test , swift build | -c~ --filter: --configuration~ --parallel -v --verbose
swift run , zig build , zig test , zig run | -c~ <
mix test , mix compile | --trace --failed --stale --seed~ --only: --exclude: --max-failures~ --warnings-as-errors
    --force --cover <*
mix run | < **
mix credo | --strict -a --all <*
mix format | --check-formatted --dry-run <*
dotnet format | --verify-no-changes --no-restore <*
pint | --test -v <*
rails test | -vbn: --verbose --backtrace --name: --seed~ --fail-fast -f --defer-output -d <*
rails runner | < **
rails routes , rails about , rails stats , rails notes , rails zeitwerk:check |
artisan test | --filter: --testsuite~ --group~ --exclude-group~ --parallel -p --compact --coverage --min~ --profile
    --stop-on-failure --without-tty -v <*
artisan | **
sbt , lein | ~*
bazel test , bazel build | --test_output~ --keep_going -k -c~ <*
dart test , dart analyze , flutter test , flutter analyze | -n: -r~ --name: --reporter~ --plain-name: --coverage
    --fatal-infos --fatal-warnings --no-fatal-infos <*
dart run | < **
composer run , composer run-script | ~ -q --timeout~ --{.script}
composer test , composer validate , composer show | --strict --no-check-publish -q ~*
bundle list , bundle check , bundle show | ~*
pip list , pip show , pip freeze , pip check | -vq --format~ --local --user --not-required --exclude~
    --exclude-editable --files --verbose --disable-pip-version-check ~*
pip --version , pip -V , pip debug , conda list , conda info , brew list , gem list , gem env , rustup show , rustup
    --version | ~*
apt list , dpkg -l , dpkg -L , dpkg -s | --installed ~*
uv tree , uv --version , uv version , poetry check , poetry --version , pdm list , hatch version , hatch test |
    --depth~ --frozen --locked --offline
poetry show | -t --tree ~*
uv build , poetry build , pdm build , hatch build , build | -ws -n --wheel --sdist --no-isolation
coverage report | -mi --show-missing --skip-covered --skip-empty --include: --omit: --precision~ --sort~ --fail-under~
    <*

tsc | words -p< --project< --noEmit -noEmit -b --build --pretty --strict --skipLibCheck --listFiles --listFilesOnly
    --incremental --noUnusedLocals --noUnusedParameters --target~ --module~ --moduleResolution~ --jsx~
    --esModuleInterop --allowJs --checkJs --lib~ --traceResolution --extendedDiagnostics --diagnostics --showConfig
    --version -v --noErrorTruncation --resolveJsonModule --isolatedModules --types~ --noImplicitAny --strictNullChecks
    <*
gcc , g++ , cc , c++ , clang , clang++ | words -o> -c -g -g3 -ggdb -O0 -O1 -O2 -O3 -Os -Og -Ofast -std: -I<+ -L<+ -l~+
    -D~+ -U~+ -Wall -Wextra -Werror -Wpedantic -pedantic -Wshadow -Wconversion -Wno-unused -Wno-unused-parameter
    -Wno-unused-variable -w -pthread -shared -static -fPIC -fpic -fsanitize~ -fno-omit-frame-pointer -fsyntax-only
    -march~ -mtune~ -fopenmp -flto -pipe -Wunused -Wformat -Wformat=2 -Wno-sign-compare -fno-exceptions -fno-rtti
    -fvisibility~ -v --version <*
rustc | --crate-type~ --edition~ -gO -o> --test --crate-name~ --emit=metadata -V --version <
javac | words -d< -cp< -classpath< -Xlint -g -nowarn -Werror -encoding~ -source~ -target~ --release~ -version <*
kotlinc , scalac , ghc , ocamlc , swiftc , dune build , dune test , dune runtest , mdbook build | ~*
cmake --build | words -j~+ --target~ -t~ --config~ --parallel~ -v --verbose --clean-first <
cmake | words -S< -B< -G: -DCMAKE_BUILD_TYPE? -DBUILD_TESTING? -DBUILD_SHARED_LIBS? -DCMAKE_EXPORT_COMPILE_COMMANDS?
    -DCMAKE_CXX_STANDARD? --version --preset~ -Wdev -Wno-dev <
ninja | -vn -k~ -C< -j~ --version ~*
meson compile , meson test | -C< -j~ -v --verbose --print-errorlogs --suite~ ~*
meson setup | --buildtype~ < <
esbuild | --bundle --minify --platform~ --format~ --target~ --sourcemap <*
webpack | --mode~
mkdocs build | --strict -q
compileall , py_compile | -q <*

ruff check | -qvsn --quiet --verbose --select: --ignore: --extend-select: --extend-ignore: --exclude:
    --extend-exclude: --output-format~ --statistics --no-cache --preview --no-preview --line-length~ --target-version~
    --diff --no-fix --exit-zero --isolated --show-files --show-fixes --respect-gitignore --force-exclude
    --per-file-ignores: --version -V --color~ --help <*
ruff format | -qv --check --diff --quiet --verbose --exclude: --line-length~ --target-version~ --preview --no-cache
    --isolated <*
ruff rule , ruff linter , ruff version , ruff --version | --all --output-format~ ~
mypy | -v -pm~ --strict --ignore-missing-imports --no-error-summary --show-error-codes --hide-error-codes
    --show-error-context --pretty --no-pretty --no-incremental --python-version~ --platform~ --follow-imports~
    --explicit-package-bases --namespace-packages --show-column-numbers --check-untyped-defs --warn-unused-ignores
    --warn-unreachable --warn-return-any --exclude: --no-color-output --disallow-untyped-defs --disallow-any-generics
    --no-implicit-optional --no-site-packages --show-traceback --tb --package~ --module~ --disable-error-code~
    --enable-error-code~ --warn-redundant-casts --disallow-incomplete-defs --allow-untyped-defs --implicit-optional
    --version -V --show-absolute-path --allow-redefinition --no-strict-optional --strict-equality
    --no-warn-unused-ignores --scripts-are-modules <*
pyright , basedpyright | -p< --project< --outputjson --stats --verbose --level~ --warnings --pythonversion~
    --pythonplatform~ --skipunannotated --threads --version <*
ty check | -qv --error~ --warn~ --ignore~ --python-version~ --output-format~ --exit-zero <*
flake8 , pycodestyle , pydocstyle , pyflakes | -qv --select: --ignore: --extend-ignore: --exclude: --max-line-length~
    --max-complexity~ --count --statistics --show-source --per-file-ignores: --version --extend-select:
    --extend-exclude: --exit-zero --first <*
pylint | -dej~ --disable: --enable: --errors-only -E --jobs~ --score~ --reports~
    --output-format=text|json|colorized|parseable --max-line-length~ --ignore: --ignore-patterns: --recursive~
    --version --fail-under~ --fail-on~ --verbose -v --persistent~ -sr~ <*
bandit , vulture , codespell , interrogate , yamllint , djlint , pytype , cpplint , sqlfluff lint | -rqvls
    --min-confidence~ --exclude: --strict --version -s <*
black | -qvS --check --diff --quiet --verbose --line-length~ -lt~ --target-version~ --exclude: --extend-exclude:
    --include: --color --no-color --fast --preview --version --skip-string-normalization <*
isort | -cqv -l~ --check --check-only --check-only --diff --profile~ --quiet --verbose --line-length~ --skip:
    --skip-glob: --version --color <*
autopep8 , yapf | -drp --diff --recursive --parallel --max-line-length~ <*
eslint , oxlint , standard , jshint , tslint , stylelint , htmlhint , markdownlint |
    -f=stylish|json|compact|unix|junit|html --ext: --quiet --max-warnings~
    --format=stylish|json|compact|unix|junit|html --cache --no-color --color --report-unused-disable-directives
    --no-warn-ignored --ignore-pattern: --no-ignore --debug --no-error-on-unmatched-pattern --no-inline-config
    --version -v --deny-warnings --no-cache <*
prettier | -cl --check --list-different --log-level~ --loglevel~ --ignore-unknown -u --no-color --color --version
    --no-error-on-unmatched-pattern --single-quote --tab-width~ --print-width~ <*
deno fmt | --check <*
golangci-lint run | -v -ED~ --timeout~ --fast --enable~ --disable~ --enable-all --disable-all --no-config --tests~
    --verbose --version <*
staticcheck | words -checks~ -tests~ -f~ <*
gofmt , goimports | words -l -d -s -e <*
rustfmt | --check --edition~ --color~ -q -v <*
clang-format | words --dry-run -n -Werror --Werror -style=llvm|google|file|LLVM|Google
    --style=llvm|google|file|LLVM|Google <*
clang-tidy | words -p< --quiet -quiet -checks: --checks: -warnings-as-errors: --warnings-as-errors: --version <*
cppcheck | --enable~ --quiet -q --std~ --language~ --inline-suppr --error-exitcode~ --force --suppress: -j~ --version
    --inconclusive <*
shellcheck | -xaC -sSfeo~ --shell~ --severity~ --format~ --exclude~ --external-sources --color? --version -V
    --check-sourced <*
shfmt | -dl -i~ -ci -bn -s <*
hadolint , ktlint , luacheck , phpcs , reek | --version -v -q --quiet --no-color <*
phpstan analyse , swiftlint lint , buf lint | --no-progress --level~ -l~ --error-format~ <*
rubocop | -DPl --format=simple|progress|json|clang|offenses|quiet -f=s|p|j|c|o|q --only: --except: --parallel --lint
    --display-cop-names --fail-level~ --no-color --version --force-exclusion <*
terraform fmt | words -check -recursive -diff <*
"""
