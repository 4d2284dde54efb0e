#!/bin/sh
# start <name> <setting> <command…>: starts a SIP server, unless another program has its port: it would run without it, and
# phones would reach the other program. In the host's network that is often the Asterisk of `npm start`. The setting in .env
# is the one for the port.
set -eu
name=$1 setting=$2
shift 2

# Whether a socket has the local port $2 in the kernel's tables $1, in the state $3 (0A: listens; any if not given).
is_taken() {
  local_port=$(printf %04X "$2")
  cat /proc/net/"$1" /proc/net/"$1"6 2>/dev/null | grep -qE "^ *[0-9]+: [0-9A-F]+:$local_port [0-9A-F:]+ ${3:-}"
}

if is_taken udp "$SIP_PORT" || is_taken tcp "$SIP_PORT" 0A; then
  echo "$name cannot listen for SIP on port $SIP_PORT: another program on this machine uses it, perhaps the" \
    "Asterisk of npm start. Stop that program, or choose another port in .env: $setting=$((SIP_PORT + 2))" >&2
  exit 1
fi
exec "$@"
