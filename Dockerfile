# Two images: gatehouse (the default, last) and carrier-simulator, for demonstrations and tests.
#
#   docker build -t gatehouse --build-arg BUILD_REVISION="$(git rev-parse HEAD)" .
#   docker build -t gatehouse-carriers --target carrier-simulator .

FROM swift:6.3.1-bookworm AS build
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends \
        libssl-dev zlib1g-dev libcurl4-openssl-dev libsqlite3-dev libyaml-dev libpq-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The dependencies are a layer of their own: only a change of the manifest fetches them again. The secret is for those
# who fetch through a mirror, and need not be given.
COPY Package.swift Package.resolved* ./
RUN --mount=type=secret,id=gitconfig,target=/root/.gitconfig,required=false swift package resolve
# SwiftPM wants to see every target that the manifest names, the tests too.
COPY Sources Sources
COPY Simulator Simulator
COPY Tests Tests
# What `gatehouse --version` and the metric gatehouse_build_info tell of where it comes from.
ARG BUILD_REVISION
ENV BUILD_REVISION=$BUILD_REVISION
# Swift's own libraries go into the executables, so that the images need no Swift; C libraries stay shared, so that an
# update of the distribution's OpenSSL reaches them.
RUN --mount=type=secret,id=gitconfig,target=/root/.gitconfig,required=false \
    swift build -c release --static-swift-stdlib --product gatehouse \
    && install -D -s "$(swift build -c release --show-bin-path)/gatehouse" /out/gatehouse

FROM build AS build-carrier-simulator
RUN --mount=type=secret,id=gitconfig,target=/root/.gitconfig,required=false \
    swift build -c release --static-swift-stdlib --product carrier-simulator \
    && install -D -s "$(swift build -c release --show-bin-path)/carrier-simulator" /out/carrier-simulator

FROM debian:bookworm-slim AS runtime
RUN apt-get update -q \
    && apt-get upgrade -q -y \
    && apt-get install -q -y --no-install-recommends ca-certificates libssl3 zlib1g libcurl4 libsqlite3-0 libyaml-0-2 libpq5 \
    && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
# A number, so that an orchestrator can see that it is not root. Nothing needs a name or a shell for it.
ENV HOME=/
WORKDIR /
STOPSIGNAL SIGTERM

FROM runtime AS carrier-simulator
COPY --from=build-carrier-simulator /out/carrier-simulator /usr/local/bin/carrier-simulator
USER 10001:10001
EXPOSE 9000 9001 9002 9003 9004 9005 9006
ENTRYPOINT ["carrier-simulator"]
# Published ports reach only what listens on every address; in URLs it stays the host's loopback address.
CMD ["--host", "0.0.0.0", "--issuer-host", "127.0.0.1"]

FROM runtime AS gatehouse
COPY --from=build /out/gatehouse /usr/local/bin/gatehouse
COPY Config/gatehouse.yaml /etc/gatehouse/gatehouse.yaml
# A new volume takes over owner and mode. The root file system can be read-only: nothing else is written.
RUN install -d -o 10001 -g 10001 -m 0700 /data
VOLUME /data
# Both win over the configuration file, whichever is mounted.
ENV GATEHOUSE_HTTP_HOST=0.0.0.0 GATEHOUSE_STORAGE_URL=file:/data/gatehouse.db
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
    CMD ["gatehouse", "healthcheck", "--config", "/etc/gatehouse/gatehouse.yaml"]
ENTRYPOINT ["gatehouse"]
CMD ["serve", "--config", "/etc/gatehouse/gatehouse.yaml"]
