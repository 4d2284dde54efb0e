# The application. PostgreSQL, Redis and Asterisk are containers of their own (docker-compose.yml).
FROM node:22.22.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/web/package.json packages/web/
RUN npm ci --include=dev --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22.22.2-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends espeak-ng asterisk-moh-opsound-wav \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 HATIF_DATA_DIR=/data MEDIA_DIR=/media LOG_TO=stdout
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/scripts scripts
RUN install --directory --owner=node --group=node /data /media /etc/hatif-asterisk /etc/hatif-drachtio /etc/hatif-freeswitch \
    /freeswitch \
  && ln -s /app/scripts/hatif.mjs /usr/local/bin/hatif
USER node
EXPOSE 8080
# As `npm start` does (docs/explanation/performance.md).
CMD ["node", "--max-semi-space-size=64", "--enable-source-maps", "dist/programs/main.js"]
