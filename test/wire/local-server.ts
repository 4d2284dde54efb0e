import type { AddressInfo, Server } from 'node:net';
import type { Duplex } from 'node:stream';

/** Listens on a free loopback port. @returns the port */
export async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Closes each of the two streams when the other one ends. */
export function couple(one: Duplex, other: Duplex): void {
  for (const [ended, left] of [
    [one, other],
    [other, one],
  ] as const) {
    ended.on('error', () => undefined);
    ended.on('close', () => left.destroy());
  }
}
