import { createSocket } from 'node:dgram';

/** A free port below the kernel's ephemeral port range. */
export async function freeUdpPort(): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const port = 24_000 + Math.floor(Math.random() * 1_900);
    if (await isFreeUdp(port)) return port;
  }
  throw new Error('no free UDP port');
}

function isFreeUdp(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = createSocket('udp4');
    socket.once('error', () => done(false));
    socket.bind(port, '127.0.0.1', () => socket.close(() => done(true)));
  });
}
