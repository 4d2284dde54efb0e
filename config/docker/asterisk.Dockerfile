# Asterisk as Debian packages it: the same packages that the embedded part uses. Its configuration is written by
# `hatif asterisk-config` and mounted at /etc/asterisk.
FROM debian:sid-20251208-slim
# Only Debian's unstable has Asterisk, and its mirrors keep only the newest version, so a build names the version and takes
# it from Debian's archive as it was on one day. To change the version, choose a day on which it was the newest.
ARG ASTERISK_VERSION=1:22.10.1
ARG DEBIAN_MIRROR=http://snapshot.debian.org/archive/debian/20260801T000000Z
RUN sed -i "s|^URIs:.*|URIs: $DEBIAN_MIRROR|" /etc/apt/sources.list.d/debian.sources \
  && apt-get -o Acquire::Check-Valid-Until=false update \
  && apt-get install --yes --no-install-recommends \
    "asterisk=$ASTERISK_VERSION*" asterisk-core-sounds-en asterisk-core-sounds-en-wav asterisk-moh-opsound-g722 \
  && rm -rf /var/lib/apt/lists/* /etc/asterisk/* \
  # A new volume takes the owner of the folder that it is mounted at. Asterisk does not create the folder of recordings.
  && install --directory --owner=asterisk --group=asterisk \
    /run/asterisk /var/lib/asterisk/keys /var/log/asterisk/cel-custom /var/spool/asterisk/recording \
  # Its log becomes the container's.
  && ln -s /dev/stdout /var/log/asterisk/messages
COPY --chmod=755 start.sh /usr/local/bin/start
USER asterisk
CMD ["start", "Asterisk", "ASTERISK_SIP_PORT", "asterisk", "-f", "-C", "/etc/asterisk/asterisk.conf"]
