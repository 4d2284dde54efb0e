import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  startEmbedded,
  stopEmbedded,
  type AsteriskOptions,
  type AsteriskPart,
  type EmbeddedOptions,
} from '../../../adapters/embedded/index.js';
import { AsteriskEngine, type AsteriskEngineOptions } from '../../../engine/asterisk/asterisk-engine.js';
import { quiet } from '../../support/logger.js';
import { freeSipPort } from '../../support/phones/index.js';
import { Heard } from './heard.js';
import type { EngineGround } from './rig.js';

export { Heard } from './heard.js';

/** A real Asterisk for one test file, on its own ports and in a temporary directory. */
export class AsteriskHost {
  private constructor(
    readonly folder: string,
    private readonly options: EmbeddedOptions,
    private part: AsteriskPart,
  ) {}

  static async start(
    rtp: { readonly from: number; readonly to: number },
    over: Partial<AsteriskOptions> = {},
  ): Promise<AsteriskHost> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-engine-'));
    const options: EmbeddedOptions = {
      dataDir: folder,
      cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache'),
      asterisk: { sip: { bind: '127.0.0.1', port: await freeSipPort() }, rtp, ...over },
    };
    return new AsteriskHost(folder, options, await startAsterisk(options));
  }

  /** What the platform needs to work with it. */
  get running(): AsteriskPart {
    return this.part;
  }

  /** Its ARI address and credentials. */
  get access(): AsteriskPart['ari'] {
    return this.part.ari;
  }

  /** Its channel event log. */
  get celFile(): string {
    return this.part.celFile;
  }

  get ariUrl(): string {
    return this.part.ari.url;
  }

  /** Sends an ARI command that bypasses the adapter. @returns the status */
  async ari(method: string, path: string, body: object): Promise<number> {
    const { url, user, password } = this.part.ari;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    return (await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })).status;
  }

  get sipAddress(): string {
    return `${this.part.sip.host}:${this.part.sip.port}`;
  }

  get sipPort(): number {
    return this.part.sip.port;
  }

  /** Returns an engine for this Asterisk and its recorded events; `over` replaces single options. */
  engine(over: Partial<AsteriskEngineOptions> = {}): { engine: AsteriskEngine; heard: Heard } {
    const { url, user, password } = this.part.ari;
    const options = { url, username: user, password, soundDir: join(this.folder, 'sounds'), logger: quiet };
    const engine = new AsteriskEngine({ ...options, maxBackoffMs: 500, ...over });
    return { engine, heard: new Heard() };
  }

  /** Sends an ARI GET that bypasses the adapter. */
  async ask(path: string): Promise<unknown> {
    const { url, user, password } = this.part.ari;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return (await fetch(`${url}${path}`, { headers: { authorization } })).json();
  }

  /** Makes Asterisk use the certificate that is now in the files of its options. */
  async renewCertificate(): Promise<void> {
    await this.part.renewCertificate?.();
  }

  /** Restarts Asterisk with the same configuration; all of its calls are lost. */
  async restart(): Promise<void> {
    await this.part.stop();
    this.part = await startAsterisk(this.options);
  }

  async stop(): Promise<void> {
    await stopEmbedded({ asterisk: this.part });
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function asteriskGround(host: AsteriskHost): EngineGround {
  return {
    folder: host.folder,
    port: Number(new URL(host.ariUrl).port),
    sipAddress: host.sipAddress,
    sipPort: host.sipPort,
    open: ({ port, ...over } = {}) =>
      host.engine({ ...over, ...(port !== undefined && { url: `http://127.0.0.1:${port}` }) }),
    left: async () => {
      const bridges = (await host.ask('/bridges')) as readonly unknown[];
      const channels = (await host.ask('/channels')) as readonly unknown[];
      return [...bridges, ...channels];
    },
    restart: () => host.restart(),
    stop: () => host.stop(),
  };
}

async function startAsterisk(options: EmbeddedOptions): Promise<AsteriskPart> {
  const { asterisk } = await startEmbedded(options, { postgres: false, redis: false, asterisk: true, speech: false });
  if (!asterisk) throw new Error('Asterisk was not started');
  return asterisk;
}
