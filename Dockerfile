# Arena as a container: the same image plays contests and is a worker of a cluster.
# docs/howto/containers.md says how to run it, and what bots need there to be confined.
#
# BASE is any image with Python 3.11 or later and its venv module.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY arena arena
COPY benchmarks/arena_lab benchmarks/arena_lab
COPY bots bots
RUN python3 -m venv /opt/arena && /opt/arena/bin/pip install --no-cache-dir ".[cluster,web]"
# the engine's machine code: for any processor of this kind, not only for the one that builds
ENV NUMBA_CPU_NAME=generic
RUN /opt/arena/bin/python -P -m arena.engine.compile

FROM ${BASE}
COPY --from=build /opt/arena /opt/arena
RUN useradd --uid 1000 --create-home arena && install --directory --owner=arena /contest
ENV PATH=/opt/arena/bin:${PATH} NUMBA_CPU_NAME=generic
USER 1000
WORKDIR /contest
ENTRYPOINT ["arena"]
