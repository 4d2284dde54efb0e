import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { LOWEST_PORT } from '../../../adapters/embedded/system/ports.js';

const LOOPBACK = '127.0.0.1';
/** Below those of the embedded parts: one that starts must not take the port of a phone that has not started yet. */
const [FIRST, LAST] = [20_000, LOWEST_PORT - 10];

/**
 * A SIP port of the loopback that is free for UDP and TCP, with the next port free as well (user agents use it for
 * TLS). While this process lives, neither it nor another process gets the port again: lanes of tests run in parallel.
 */
export async function freeSipPort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = FIRST + 2 * Math.floor((Math.random() * (LAST - FIRST)) / 2);
    if ((await isOurs(port)) && (await isFreeUdp(port)) && (await isFreeTcp(port)) && (await isFreeTcp(port + 1)))
      return port;
  }
  throw new Error('No free SIP port on the loopback');
}

/** Reserves the port by an abstract socket of Linux, whose name is released when the process ends in any way. */
function isOurs(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once('error', () => resolve(false));
    server.listen({ path: `\0hatif-test-port-${port}` }, () => resolve(true));
  });
}

function isFreeUdp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind(port, LOOPBACK, () => socket.close(() => resolve(true)));
  });
}

function isFreeTcp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
}
