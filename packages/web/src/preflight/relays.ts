import type { PreflightStepName } from './report.js';

const GATHERING_MS = 5_000;

export interface Relay {
  readonly name: PreflightStepName;
  readonly url: string;
  readonly server: RTCIceServer;
}

/** Each TURN server by each of its ways. */
export function relaysIn(servers: readonly RTCIceServer[]): Relay[] {
  return servers.flatMap((server) =>
    [server.urls]
      .flat()
      .filter((url) => /^turns?:/.test(url))
      .map((url) => ({ name: wayOf(url), url, server: { ...server, urls: [url] } })),
  );
}

function wayOf(url: string): PreflightStepName {
  if (url.startsWith('turns:')) return 'turn_tls';
  return /[?&]transport=tcp/.test(url) ? 'turn_tcp' : 'turn_udp';
}

/** Whether the server gives an address. */
export async function hasRelay(server: RTCIceServer): Promise<boolean> {
  const connection = new RTCPeerConnection({ iceServers: [server], iceTransportPolicy: 'relay' });
  try {
    connection.addTransceiver('audio');
    const found = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), GATHERING_MS);
      connection.addEventListener('icecandidate', ({ candidate }) => {
        if (candidate?.type === 'relay') resolve(true);
        if (candidate === null) resolve(false);
      });
    });
    await connection.setLocalDescription(await connection.createOffer());
    return await found;
  } finally {
    connection.close();
  }
}
