/** What is used of an `RTCPeerConnection`. */
interface Gatherer extends EventTarget {
  readonly iceGatheringState: string;
  readonly localDescription: { readonly sdp: string } | null;
}

/** What is used of an `RTCIceCandidate`. */
interface Candidate {
  readonly type: string | null;
  readonly protocol: string | null;
  readonly address: string | null;
}

export interface GatheringOptions {
  /** The longest time that a new call waits for addresses, in milliseconds. */
  readonly cutMs: number;
  readonly iceServers: readonly { readonly urls: string | readonly string[] }[];
  /** Only relays are used. */
  readonly isRelayOnly: boolean;
}

/** Addresses of one kind are found together: one that comes later than this after the others is not waited for. */
const QUIET_MS = 20;
/** After an interruption nobody waits for the ringing: the best way gets more time to be found. */
const RESTART_MS = 2_000;
const RELAY_POLL_MS = 100;

/**
 * Ends the search of a connection for its addresses, as far as its call waits for it. Browsers search for a tenth of a
 * second more for addresses that no call uses, and for seconds if a STUN or TURN server is slow. So a new call is sent with
 * the addresses that are known as soon as they suffice, and after `cutMs` in any case. With relays only, it waits for the
 * first one, without which there is no audio.
 *
 * What is found later still works: the engine learns an address from the first packet that comes from it (peer-reflexive,
 * RFC 8445 §7.3.1.3).
 * @returns a function that ends the watch
 */
export function cutGathering(connection: Gatherer, options: GatheringOptions): () => void {
  const { cutMs, iceServers, isRelayOnly } = options;
  const suffices = sufficientFor(iceServers);
  let isNew = true;
  let isEnough = false;
  let limit: ReturnType<typeof setTimeout> | undefined;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  const forget = (): void => {
    clearTimeout(limit);
    clearTimeout(quiet);
  };
  const end = (): void => {
    forget();
    if (connection.iceGatheringState !== 'gathering') return;
    if (isRelayOnly && !hasCandidate(connection)) {
      limit = setTimeout(end, RELAY_POLL_MS);
      return;
    }
    isNew = false;
    // For JsSIP, an event without a candidate is the end of gathering.
    connection.dispatchEvent(new Event('icecandidate'));
  };
  const onState = (): void => {
    forget();
    if (connection.iceGatheringState === 'complete') isNew = false;
    if (connection.iceGatheringState === 'gathering') limit = setTimeout(end, isNew ? cutMs : RESTART_MS);
  };
  const onCandidate = (event: Event): void => {
    const { candidate } = event as Event & { readonly candidate?: Candidate | null };
    // A connection that restarts has lost its way: it searches for all of them.
    if (!candidate || !isNew) return;
    isEnough ||= suffices(candidate);
    if (!isEnough) return;
    clearTimeout(quiet);
    quiet = setTimeout(end, QUIET_MS);
  };
  connection.addEventListener('icegatheringstatechange', onState);
  connection.addEventListener('icecandidate', onCandidate);
  return () => {
    forget();
    connection.removeEventListener('icegatheringstatechange', onState);
    connection.removeEventListener('icecandidate', onCandidate);
  };
}

/**
 * Which address a call can begin with: a relay if there is a TURN server, which works in every network; the address at a
 * STUN server if there is only that; otherwise one of the browser's own.
 */
function sufficientFor(iceServers: GatheringOptions['iceServers']): (candidate: Candidate) => boolean {
  const urls = iceServers.flatMap((server) => server.urls);
  const wanted = urls.some((url) => /^turns?:/.test(url)) ? 'relay' : urls.length > 0 ? 'srflx' : 'host';
  // Engines take no TCP, and do not find the name behind which a browser hides an address.
  return ({ type, protocol, address }) => type === wanted && protocol === 'udp' && address?.endsWith('.local') !== true;
}

function hasCandidate({ localDescription }: Gatherer): boolean {
  return localDescription?.sdp.includes('\r\na=candidate:') === true;
}
