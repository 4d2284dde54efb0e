# Asterisk as Debian packages it: the same packages that the embedded part uses. Its configuration is written by
# `hatif asterisk-config` and mounted at /etc/asterisk.
FROM debian:sid-20251208-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    asterisk asterisk-core-sounds-en asterisk-core-sounds-en-wav asterisk-moh-opsound-g722 \
  && rm -rf /var/lib/apt/lists/* /etc/asterisk/* \
  && install --directory --owner=asterisk --group=asterisk /run/asterisk /var/log/asterisk/cel-custom
USER asterisk
CMD ["asterisk", "-f", "-C", "/etc/asterisk/asterisk.conf"]
