import { connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { MadeCertificate } from '../../certificates.js';
import { listenOnLoopback, portOf } from '../listening.js';

/** Ends TLS in front of a port of the loopback, as a reverse proxy does. */
export class TlsEnd {
  private constructor(private readonly server: Server) {}

  static async start({ cert, key }: MadeCertificate, target: number): Promise<TlsEnd> {
    const server = createServer({ cert, key }, (client) => {
      const service = connect(target, '127.0.0.1');
      client.pipe(service).pipe(client);
      client.on('error', () => service.destroy());
      service.on('error', () => client.destroy());
    });
    await listenOnLoopback(server);
    return new TlsEnd(server);
  }

  get port(): number {
    return portOf(this.server);
  }

  /** Its connections end with their browser. */
  close(): void {
    this.server.close();
  }
}
