import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  startEmbedded,
  stopEmbedded,
  type AsteriskOptions,
  type AsteriskPart,
  type EmbeddedOptions,
} from '../../adapters/embedded/index.js';
import type { EngineEvent } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';
import { AsteriskEngine, type AsteriskEngineOptions } from '../../engine/asterisk/asterisk-engine.js';
import { freeSipPort } from '../support/phones/index.js';

const DEFAULT_LIMIT_MS = 15_000;

export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};

/** A real Asterisk of a test's own, on ports of its own, in a folder that goes with it. */
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
    return new AsteriskHost(folder, options, await bringUp(options));
  }

  /** How it is commanded. */
  get access(): AsteriskPart['ari'] {
    return this.part.ari;
  }

  get ariUrl(): string {
    return this.part.ari.url;
  }

  /** A command past every engine. @returns the status */
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

  /** An engine on it, with what it told; `over` replaces single options. */
  engine(over: Partial<AsteriskEngineOptions> = {}): { engine: AsteriskEngine; heard: Heard } {
    const { url, user, password } = this.part.ari;
    const options = { url, username: user, password, soundDir: join(this.folder, 'sounds'), logger: quiet };
    const engine = new AsteriskEngine({ ...options, maxBackoffMs: 500, ...over });
    return { engine, heard: new Heard() };
  }

  /** What Asterisk itself says. */
  async ask(path: string): Promise<unknown> {
    const { url, user, password } = this.part.ari;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return (await fetch(`${url}${path}`, { headers: { authorization } })).json();
  }

  /** Ends Asterisk and starts it again with the same configuration: all its calls are gone. */
  async restart(): Promise<void> {
    await this.part.stop();
    this.part = await bringUp(this.options);
  }

  async stop(): Promise<void> {
    await stopEmbedded({ asterisk: this.part });
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function bringUp(options: EmbeddedOptions): Promise<AsteriskPart> {
  const { asterisk } = await startEmbedded(options, { postgres: false, redis: false, asterisk: true, speech: false });
  if (!asterisk) throw new Error('Asterisk was not started');
  return asterisk;
}

/** What an engine told, and those who wait for it to tell more. */
export class Heard {
  readonly events: EngineEvent[] = [];
  readonly #waiting = new Set<() => void>();

  readonly listener = (event: EngineEvent): void => {
    this.events.push(event);
    for (const look of [...this.#waiting]) look();
  };

  /** The first event after `from` (an index), past or to come, that satisfies. */
  until<Event extends EngineEvent>(
    isIt: (event: EngineEvent) => event is Event,
    from = 0,
    limitMs = DEFAULT_LIMIT_MS,
  ): Promise<Event> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.events.slice(from).find(isIt);
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`Not told within ${limitMs} ms: ${isIt.toString()}\n${this.#last()}`));
      }, limitMs);
      this.#waiting.add(look);
      look();
    });
  }

  /** The first event of a type, past or to come. */
  untilType<Type extends EngineEvent['type']>(type: Type, from = 0): Promise<Extract<EngineEvent, { type: Type }>> {
    return this.until((event): event is Extract<EngineEvent, { type: Type }> => event.type === type, from);
  }

  #last(): string {
    return this.events
      .slice(-15)
      .map((event) => JSON.stringify(event))
      .join('\n');
  }
}
