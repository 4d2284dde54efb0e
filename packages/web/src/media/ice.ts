/**
 * A call must not wait for a slow STUN or TURN server: after `cutMs`, the addresses that are known are sent. With relays
 * only, it waits for the first one, without which there is no audio.
 * @returns a function that ends it
 */
export function cutGathering(connection: RTCPeerConnection, cutMs: () => number, isRelayOnly: boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    if (connection.iceGatheringState !== 'gathering') return;
    if (isRelayOnly && !hasCandidate(connection)) {
      timer = setTimeout(end, 100);
      return;
    }
    // For JsSIP, an event without a candidate is the end of gathering.
    connection.dispatchEvent(new Event('icecandidate'));
  };
  const onChange = (): void => {
    clearTimeout(timer);
    if (connection.iceGatheringState === 'gathering') timer = setTimeout(end, cutMs());
  };
  connection.addEventListener('icegatheringstatechange', onChange);
  return () => {
    clearTimeout(timer);
    connection.removeEventListener('icegatheringstatechange', onChange);
  };
}

function hasCandidate({ localDescription }: RTCPeerConnection): boolean {
  return localDescription?.sdp.includes('\r\na=candidate:') === true;
}

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
