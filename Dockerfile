# docker build -t envdoctor . && docker run --rm --init -v "$PWD:/work" envdoctor check arm.py
# docs/docker.md says what it can and cannot do.
FROM python:3.13-slim AS build
COPY . /source
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index /wheels/*.whl \
    && useradd --uid 1000 --create-home doctor
# Any user may write there: `docker run --user` names one that has no home of its own.
ENV HOME=/tmp
USER 1000
WORKDIR /work
ENTRYPOINT ["envdoctor"]
