# Two images: gatehouse (the default, last) and carrier-simulator, for demonstrations and tests.
#
#   docker build -t gatehouse --build-arg BUILD_REVISION="$(git log -1 --format=%H -- Sources 'Package.*')" .
#   docker build -t gatehouse-carriers --target carrier-simulator .
#
# The revision is what `gatehouse --version` and the metric gatehouse_build_info tell. It is the last commit that
# changed the server, so that one that changes a test rebuilds nothing. scripts/build-image gives the version and a
# time as well, and then two builds differ in nothing but some bytes of the executables.

FROM swift:6.3.1-bookworm AS toolchain
RUN apt-get update -q \
    && apt-get install -q -y --no-install-recommends \
        libssl-dev zlib1g-dev libcurl4-openssl-dev libsqlite3-dev libyaml-dev libpq-dev pkg-config python3 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The dependencies are a layer of their own: only a change of the manifest fetches them again. The secret is for those
# who fetch through a mirror, and need not be given.
COPY Package.swift Package.resolved* ./
RUN --mount=type=secret,id=gitconfig,target=/root/.gitconfig,required=false swift package resolve
COPY Sources Sources

# Of the manifest only the executable is wanted, and what is in it. So a change of a test, or of the other executable,
# rebuilds nothing here. The compiler's choices depend on hashes and on addresses: both are fixed where the builder
# allows that, which Docker does not for addresses. Swift's own libraries go into it, so that the images need no Swift;
# C libraries stay shared, so that an update of the distribution's OpenSSL reaches them.
FROM toolchain AS build
ARG BUILD_REVISION
RUN --mount=type=secret,id=gitconfig,target=/root/.gitconfig,required=false \
    export DEV_EXECUTABLE=gatehouse BUILD_REVISION SWIFT_DETERMINISTIC_HASHING=1 \
    && same="$(if setarch -R true 2>/dev/null; then echo setarch -R; fi)" \
    && $same swift build -c release --static-swift-stdlib --product gatehouse \
    && install -D -s "$(swift build -c release --show-bin-path)/gatehouse" /out/gatehouse

FROM toolchain AS build-carrier-simulator
COPY Simulator Simulator
RUN --mount=type=secret,id=gitconfig,target=/root/.gitconfig,required=false \
    export DEV_EXECUTABLE=carrier-simulator SWIFT_DETERMINISTIC_HASHING=1 \
    && same="$(if setarch -R true 2>/dev/null; then echo setarch -R; fi)" \
    && $same swift build -c release --static-swift-stdlib --product carrier-simulator \
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

FROM runtime AS packages
RUN dpkg-query -W -f='${Package} ${Version} ${Architecture}\n' >/packages

# What the image is made of, for scanners: Swift's packages and Debian's.
FROM build AS bill-of-materials
COPY scripts/spdx.py /spdx.py
COPY --from=packages /packages /packages
ARG BUILD_REVISION
ARG SOURCE_DATE_EPOCH=0
RUN python3 /spdx.py --packages /packages Package.resolved "$(/out/gatehouse --version | sed 's/ .*//;q')" \
        "$BUILD_REVISION" "$SOURCE_DATE_EPOCH" >/out/gatehouse.spdx.json

FROM runtime AS gatehouse
COPY --from=build /out/gatehouse /usr/local/bin/gatehouse
COPY --from=bill-of-materials /out/gatehouse.spdx.json /usr/share/doc/gatehouse/gatehouse.spdx.json
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
ARG BUILD_REVISION
ARG BUILD_VERSION
LABEL org.opencontainers.image.title="Gatehouse" \
    org.opencontainers.image.description="A confidential OpenID Connect client behind mobile apps" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
    org.opencontainers.image.version="$BUILD_VERSION" \
    org.opencontainers.image.revision="$BUILD_REVISION"
ENTRYPOINT ["gatehouse"]
CMD ["serve", "--config", "/etc/gatehouse/gatehouse.yaml"]
