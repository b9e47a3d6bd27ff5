# One image for every process of the site: web, workers, beat. What differs is the command (docker-compose.yml).
#
# BASE may be any Debian with Python 3.11 or newer. Packages come by the hashes in requirements/; LOCK says by which:
# site, or gpu, which is site and CuPy, for a worker with a GPU.
ARG BASE=debian:trixie-slim

FROM ${BASE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
WORKDIR /srv/softmark
# Python's bytecode is made here: the root of a container is read-only, so no process could ever keep it.
ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_NO_CACHE=1 UV_COMPILE_BYTECODE=1 PIP_NO_CACHE_DIR=1
COPY requirements requirements
ARG LOCK=site
RUN python3 -m venv .venv \
    && .venv/bin/python -m pip install -qq --require-hashes --only-binary :all: -r requirements/bootstrap.txt \
    && .venv/bin/uv pip install --python .venv/bin/python --require-hashes -r "requirements/${LOCK}.txt"
# First what changes seldom: the front end lands in platform/, and the sources around it.
COPY frontend frontend
COPY platform/softmark/ui/static/ui/drafting.js platform/softmark/ui/static/ui/drafting.js
RUN requirements/assets.sh && rm -rf frontend
COPY platform platform
COPY pyproject.toml README.md manage.py ./
COPY grader grader
RUN .venv/bin/uv pip install --python .venv/bin/python --no-deps --build-constraints requirements/dev.txt --editable . \
    && SECRET_KEY=build DATABASE_URL=postgres:///build REDIS_URL=redis://build \
       .venv/bin/python manage.py collectstatic --noinput --verbosity 0 \
    && .venv/bin/python -m compileall -q grader platform \
    && .venv/bin/uv pip uninstall --quiet --python .venv/bin/python uv pip \
    && rm -rf requirements .venv/.lock
COPY assignments assignments
COPY fixtures/lessons fixtures/lessons

FROM ${BASE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 tini tzdata \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && groupadd --system --gid 10001 softmark \
    && useradd --system --uid 10001 --gid softmark --home-dir /nonexistent --no-create-home softmark
COPY --from=build /srv/softmark /srv/softmark
WORKDIR /srv/softmark
ENV PATH=/srv/softmark/.venv/bin:$PATH PYTHONUNBUFFERED=1 LOG_FORMAT=json
USER softmark
# tini takes in what a worker's sandbox leaves behind, and hands signals on.
ENTRYPOINT ["tini", "--"]
EXPOSE 8000
CMD ["gunicorn", "softmark.config.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "8", "--preload", \
     "--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
