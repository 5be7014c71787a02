# The command `galaxy`, for tests and for tools. It is not a deployment: docs/operating.md describes those.
#
#   docker build -t galaxy .
#   docker run --rm -p 127.0.0.1:8787:8787 -v galaxy:/data galaxy
#
# compose.yaml does both.

FROM node:24-trixie-slim AS build
WORKDIR /build
COPY . .
RUN npm ci
RUN npm pack
RUN mkdir /galaxy && tar -xzf galaxy-*.tgz -C /galaxy --strip-components=1
# The versions of the lock file, without what only the build needs.
RUN npm prune --omit=dev --workspaces=false && cp -R node_modules /galaxy/node_modules

FROM node:24-trixie-slim
COPY --from=build /galaxy /galaxy
# Everything that the service stores, its secrets included.
RUN mkdir /data && chown node:node /data
VOLUME /data
WORKDIR /data
ENV GALAXY_HOME=/data
USER node
EXPOSE 8787
# Every second until it is ready, which takes one or two. `--start-interval` needs Docker 25 or newer.
HEALTHCHECK --start-period=30s --start-interval=1s --interval=10s --timeout=5s \
  CMD ["node", "-e", "fetch('http://localhost:8787/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# It answers what is under way, and ends within two seconds.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/galaxy/bin/galaxy.cjs", "--port", "8787", "--ip", "0.0.0.0"]
