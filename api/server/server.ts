import type { Express } from 'express';
import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { newId } from '../../core/model/ids.js';
import { invalidField, renderError } from '../../core/model/errors/index.js';
import { arabic } from '../../core/model/wording/wording.js';
import type { Logger } from '../../core/ports/logger.js';
import type { Lifecycle } from '../http/lifecycle.js';
import { passUpgrades } from '../web-socket/upgrades.js';
import { followCertificate, type CertificateFiles } from '../../core/services/certificates/certificate-files.js';
import { certificateOf, readCertificate, type Certificate } from './certificate.js';

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly lifecycle: Lifecycle;
  readonly publicUrl: () => string;
  readonly timeouts?: Partial<ServerTimeouts>;
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: ServerTls;
}

/** A certificate, which is read again when its files change. */
export interface ServerTls {
  readonly files: CertificateFiles;
  readonly logger: Logger;
  /** How often the files are looked at. */
  readonly lookMs?: number;
}

export interface ServerTimeouts {
  /** For the headers of a request. */
  readonly headersMs: number;
  /** For a whole request with its body. */
  readonly requestMs: number;
  /** Between two requests of one connection. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
}

export interface RunningServer {
  readonly port: number;
  /**
   * Readiness fails, no new connections are accepted, streams end and running requests finish. Connections that remain
   * after `graceMs` are closed.
   */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: ServerTimeouts = { headersMs: 10_000, requestMs: 60_000, keepAliveMs: 65_000, idleMs: 120_000 };
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * @throws Error with `code` EADDRINUSE or EACCES if the port is not available; that of {@link readCertificate}
 */
export async function startServer(app: Express, options: ServerOptions): Promise<RunningServer> {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(timeouts.headersMs / 4)),
  };
  const server = options.tls
    ? await secured(options.tls, (pair) => createHttpsServer({ ...limits, ...pair }, app))
    : createServer(limits, app);
  passUpgrades(server, app);
  server.setTimeout(timeouts.idleMs);
  // While the server drains, a keep-alive connection would delay the stop after its last request.
  server.on('request', (_req, res) => {
    res.once('close', () => {
      if (options.lifecycle.draining) setImmediate(() => server.closeIdleConnections());
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket, options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A server that listens on a port never has a pipe name as its address.
  const { port } = server.address() as AddressInfo;
  return { port, close: (graceMs) => close(server, options.lifecycle, graceMs) };
}

/** The server with the certificate of the files, also after they change. */
async function secured(
  { files, logger, lookMs }: ServerTls,
  create: (certificate: Certificate) => HttpsServer,
): Promise<HttpsServer> {
  const server = create(await readCertificate(files));
  // A server that fails to listen is never closed, and would leave the look at its files running.
  server.once('listening', () => {
    const end = followCertificate(files, (pair) => server.setSecureContext(certificateOf(pair)), {
      what: 'HTTPS',
      logger,
      ...(lookMs !== undefined && { lookMs }),
    });
    server.once('close', end);
  });
  return server;
}

async function close(server: Server | HttpsServer, lifecycle: Lifecycle, graceMs: number): Promise<void> {
  lifecycle.drain();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}

const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';
const TOO_BIG = 'HPE_HEADER_OVERFLOW';

/** Malformed or too slow requests never reach the routes: they are answered here, and the connection is closed. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, { publicUrl }: ServerOptions): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // An answer has already started: a second one would corrupt it.
  if ('bytesWritten' in socket && socket.bytesWritten !== 0 && error.code !== TOO_SLOW && error.code !== TOO_BIG) {
    socket.destroy();
    return;
  }
  if (error.code === TOO_SLOW) {
    socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  const fault =
    error.code === TOO_BIG
      ? invalidField('headers', {
          en: `are larger than ${MAX_HEADER_BYTES} bytes`,
          ar: arabic`أكبر من ${MAX_HEADER_BYTES} بايت`,
        })
      : invalidField('request', { en: 'is not valid HTTP', ar: 'ليس طلب HTTP صالحًا' });
  const requestId = newId();
  const body = JSON.stringify(renderError(fault, requestId, `${publicUrl()}/docs`));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\n` +
      `Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
