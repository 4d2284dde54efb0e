/**
 * JsSIP ends a call as soon as ICE failed. A network that comes back after half a minute can still carry the call, so JsSIP
 * sees `disconnected` instead, and the call decides.
 */
export function hideFailure(connection: RTCPeerConnection): void {
  Object.defineProperty(connection, 'iceConnectionState', {
    configurable: true,
    get: () => {
      const state = iceStateOf(connection);
      return state === 'failed' ? 'disconnected' : state;
    },
  });
}

/** The real state, also of a connection whose failure is hidden. */
export function iceStateOf(connection: RTCPeerConnection): RTCIceConnectionState {
  const state: unknown = Reflect.get(RTCPeerConnection.prototype, 'iceConnectionState', connection);
  return state as RTCIceConnectionState;
}
