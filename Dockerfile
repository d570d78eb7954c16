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
# a release's number: without it the image cannot know it, as no git is here
ARG VERSION
RUN python3 -m venv /opt/arena \
    && SETUPTOOLS_SCM_PRETEND_VERSION="$VERSION" /opt/arena/bin/pip install --no-cache-dir ".[cluster,web]"
# the engine's machine code: for any processor of this kind, not only for the one that builds
ENV NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=/opt/arena/cache
RUN /opt/arena/bin/python -P -m arena.engine.compile
# a seventh of the image: the packages' own tests, which nothing imports
RUN find /opt/arena/lib -type d -name tests -prune -exec rm -r {} + \
    && /opt/arena/bin/pip uninstall -q --yes setuptools

FROM ${BASE}
COPY --from=build /opt/arena /opt/arena
RUN useradd --uid 1000 --create-home arena && install --directory --owner=arena /contest
ENV PATH=/opt/arena/bin:${PATH} NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=/opt/arena/cache
USER 1000
WORKDIR /contest
ENTRYPOINT ["arena"]
