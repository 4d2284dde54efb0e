import type { Express } from 'express';
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A connection that its client wants to use for another protocol (RFC 9110 §7.8). */
export interface Upgrade {
  readonly socket: Duplex;
  /** What the client has sent after its request. */
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/**
 * Passes requests for another protocol through the application like all others, so that they are limited, logged and refused
 * like them. One that is not taken over is answered, and its connection is closed.
 */
export function passUpgrades(server: Pick<Server, 'on'>, app: Express): void {
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    // It can fail at any moment, and is not the server's any more.
    socket.on('error', () => socket.destroy());
    if (!(socket instanceof Socket)) {
      socket.destroy();
      return;
    }
    upgrades.set(req, { socket, head });
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.once('finish', () => socket.end());
    app(req, res);
  });
}

/** Null for a request that stays with HTTP. */
export function upgradeOf(req: IncomingMessage): Upgrade | null {
  return upgrades.get(req) ?? null;
}

/** The connection is taken over: the response is over without an answer of its own. */
export function leaveHttp(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  res.statusCode = 101;
  res.detachSocket(socket);
  res.emit('close');
}
