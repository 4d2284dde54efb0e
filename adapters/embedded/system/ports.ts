import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the kernel's ephemeral port range, so that outgoing connections never take a remembered port. */
const LOWEST = 21_000;
const HIGHEST = 31_999;

/** Whether a TCP port of 127.0.0.1 can be listened on now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Returns the remembered port if it is free, otherwise another free one. */
export async function chooseLoopbackPort(remembered?: number): Promise<number> {
  if (remembered !== undefined && (await isPortFree(remembered))) return remembered;
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free TCP port between ${LOWEST} and ${HIGHEST}`);
}
