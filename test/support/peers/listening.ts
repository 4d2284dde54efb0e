import { once } from 'node:events';
import type { Server } from 'node:net';

/** Resolves when the server listens on the loopback. @param port a free one by default */
export async function listenOnLoopback(server: Server, port = 0): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** The port of a server that listens. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return address.port;
}
