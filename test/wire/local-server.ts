import type { AddressInfo, Server } from 'node:net';
import type { Duplex } from 'node:stream';

/** Listens at a free port of loopback. @returns the port */
export async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Whichever of the two ends takes the other with it. */
export function couple(one: Duplex, other: Duplex): void {
  for (const [ended, left] of [
    [one, other],
    [other, one],
  ] as const) {
    ended.on('error', () => undefined);
    ended.on('close', () => left.destroy());
  }
}
