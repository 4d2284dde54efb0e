import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer, isIPv6 } from 'node:net';

/** Below the kernel's ephemeral port range, so that outgoing connections never take a remembered port. */
export const LOWEST_PORT = 24_000;
const HIGHEST = 31_999;

/** Why an address cannot be listened on now: the system's code, such as `EADDRINUSE`. Null if it can. */
export async function listenFailure(protocol: 'udp' | 'tcp', host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    if (protocol === 'tcp') {
      const server = createServer();
      server.once('error', failed);
      server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
    } else {
      const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
      socket.once('error', failed);
      socket.bind({ port, address: host, exclusive: true }, () => socket.close(() => resolve(null)));
    }
  });
}

/** Whether a TCP port of 127.0.0.1 can be listened on now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listenFailure('tcp', host, port)) === null;
}

/** Returns the remembered port if it is free, otherwise another free one. */
export async function chooseLoopbackPort(remembered?: number): Promise<number> {
  if (remembered !== undefined && (await isPortFree(remembered))) return remembered;
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST + 1);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free TCP port between ${LOWEST_PORT} and ${HIGHEST}`);
}
