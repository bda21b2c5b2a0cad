# The server in a container. docs/installation.md explains how to build and run it.
#
#     docker build -t mulligan .
#     docker build -t mulligan --build-arg EXTRAS='[embedded]' .
#
# Node and the other build tools stay in the first two stages.

FROM node:22-slim AS page
WORKDIR /source/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
COPY web ./
RUN npm run --silent build


FROM python:3.13-slim AS package
ARG EXTRAS=
WORKDIR /source
COPY requirements/uv.txt requirements/dev.txt requirements/embedded.txt requirements/
RUN pip install --quiet --require-hashes -r requirements/uv.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY --from=page /source/src/mulligan/server/page src/mulligan/server/page
RUN uv build --quiet --wheel --build-constraints requirements/dev.txt --out-dir dist
RUN uv venv --quiet /opt/mulligan \
 && uv pip install --quiet --python /opt/mulligan --compile-bytecode --no-build \
    --constraint requirements/dev.txt --constraint requirements/embedded.txt "$(ls dist/*.whl)$EXTRAS"


FROM python:3.13-slim
# git for checkpoints and work trees, bubblewrap to confine commands; ripgrep comes with the package.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends git bubblewrap \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --home-dir /data mulligan \
 && mkdir /data /project \
 && chown mulligan: /data /project
COPY --from=package /opt/mulligan /opt/mulligan
ENV PATH=/opt/mulligan/bin:$PATH HOME=/data MULLIGAN_HOME=/data
USER mulligan
WORKDIR /project
VOLUME /data
EXPOSE 8383
# The page needs no token, so it shows whether the server is up.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8383/', timeout=4)"]
ENTRYPOINT ["mulligan"]
CMD ["serve", "--host", "0.0.0.0"]
