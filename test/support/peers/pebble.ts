import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { resolveTool, type Tool } from '../../../adapters/embedded/index.js';
import { TestAuthority } from '../certificates.js';
import { eventually } from '../eventually.js';
import { freeSipPort } from '../phones/index.js';
import { ToolProcess } from '../phones/process.js';

export interface PebbleOptions {
  /** Where it looks for the answers to HTTP-01 challenges. */
  readonly httpPort: number;
  /** The name server that it asks. */
  readonly nameServer: string;
}

/** Finds pebble. @returns why it is not available */
export async function findPebble(): Promise<Tool | string> {
  return resolveTool('pebble', { cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') }).catch(String);
}

/** A real ACME authority for tests, Let's Encrypt's pebble, which verifies challenges as a public one does. */
export class Pebble {
  private constructor(
    private readonly process: ToolProcess,
    readonly port: number,
    /** The file of the authority that signed its own HTTPS. */
    readonly trusted: string,
    /** Its content. */
    readonly trustedPem: string,
  ) {}

  static async start(tool: Tool, { httpPort, nameServer }: PebbleOptions): Promise<Pebble> {
    const folder = ToolProcess.folder('pebble');
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const own = await TestAuthority.create('Authority of pebble’s own HTTPS');
    const { cert, key } = await own.issue();
    const port = await freeSipPort();
    const config = file(
      'config.json',
      JSON.stringify({
        pebble: {
          listenAddress: `127.0.0.1:${port}`,
          managementListenAddress: `127.0.0.1:${port + 1}`,
          certificate: file('cert.pem', cert),
          privateKey: file('key.pem', key),
          httpPort,
          // It never gets a TLS-ALPN-01 challenge.
          tlsPort: 1,
        },
      }),
    );
    const env = {
      ...tool.env,
      PEBBLE_VA_NOSLEEP: '1',
      // Each order proves the names again.
      PEBBLE_AUTHZREUSE: '0',
    };
    const process = new ToolProcess(folder, { ...tool, env }, ['-config', config, '-dnsserver', nameServer]);
    const pebble = new Pebble(process, port, file('trusted.pem', own.cert), own.cert);
    try {
      await eventually(
        () => {
          if (!process.alive) throw new Error(pebble.log());
          return pebble.log().includes('ACME directory available');
        },
        () => `pebble listens\n${pebble.log()}`,
      );
    } catch (error) {
      await pebble.stop();
      throw error;
    }
    return pebble;
  }

  get directoryUrl(): string {
    return `https://127.0.0.1:${this.port}/dir`;
  }

  /** The certificate that signed what it issues: PEM. */
  async root(): Promise<string> {
    const asked = get({ host: '127.0.0.1', port: this.port + 1, path: '/roots/0', ca: this.trustedPem });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return text(response);
  }

  log(): string {
    return this.process.log();
  }

  async stop(): Promise<void> {
    await this.process.stop('SIGTERM', 3_000);
  }
}
