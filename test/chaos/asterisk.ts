import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ChaosEngine } from './chaos-engine.js';
import { startEmbedded, stopEmbedded, type AsteriskPart, type EmbeddedOptions } from '../../adapters/embedded/index.js';
import { toneWav } from '../support/judges/audio.js';
import { freeSipPort } from '../support/phones/ports.js';
import { HOLD_MUSIC } from './phones/sound.js';

/** The RTP port range is chosen at random, below the phones' ports, because several runs may share the machine. */
const [FIRST_RTP_PORT, RTP_PORTS, RTP_RANGES] = [10_000, 500, 20];

/** A real Asterisk that tests kill and start again. Its hold music has no pauses. */
export class ChaosAsterisk implements ChaosEngine {
  readonly kind = 'asterisk';
  #stopped = false;

  private constructor(
    private readonly options: EmbeddedOptions,
    private part: AsteriskPart,
  ) {
    process.once('exit', () => {
      // It runs in its own session: it must not outlive a run that was interrupted.
      if (!this.#stopped) this.kill();
    });
  }

  /** @param other another Asterisk, whose RTP ports this one does not use */
  static async start(dataDir: string, other?: ChaosAsterisk): Promise<ChaosAsterisk> {
    const holdMusicDir = join(dataDir, 'music');
    await mkdir(holdMusicDir, { recursive: true });
    await writeFile(join(holdMusicDir, 'hold.wav'), toneWav(HOLD_MUSIC));
    const random = FIRST_RTP_PORT + RTP_PORTS * Math.floor(Math.random() * RTP_RANGES);
    const taken = other?.options.asterisk?.rtp.from;
    const next = random === FIRST_RTP_PORT ? random + RTP_PORTS : random - RTP_PORTS;
    const from = random === taken ? next : random;
    const options: EmbeddedOptions = {
      dataDir,
      cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache'),
      asterisk: {
        sip: { bind: '127.0.0.1', port: await freeSipPort() },
        rtp: { from, to: from + RTP_PORTS - 1 },
        holdMusicDir,
      },
    };
    const asterisk = new ChaosAsterisk(options, await startAsterisk(options));
    // Like an engine that has run for an hour: its detail records start before the first call.
    await appendFile(asterisk.celFile, celLine(Date.now() / 1000 - 3600));
    return asterisk;
  }

  get control(): ChaosEngine['control'] {
    const { hostname, port } = new URL(this.part.ari.url);
    return { host: hostname, port: Number(port) };
  }

  addArguments(control: ChaosEngine['control']): ReturnType<ChaosEngine['addArguments']> {
    const { user, password } = this.part.ari;
    const address = `http://${control.host}:${control.port}`;
    return { args: [address, '--user', user, '--details', this.celFile], password };
  }

  get ari(): AsteriskPart['ari'] {
    return this.part.ari;
  }

  get sip(): AsteriskPart['sip'] {
    return this.part.sip;
  }

  get celFile(): string {
    return this.part.celFile;
  }

  /** Describes its channels and bridges, for people. */
  async describeChannels(): Promise<string[]> {
    const [channels, bridges] = await Promise.all([
      this.#get<{ id: string; name: string; state: string }[]>('/channels'),
      this.#get<{ id: string; bridge_type: string }[]>('/bridges'),
    ]);
    return [
      ...channels.map(({ id, name, state }) => `channel ${name} (${id}) is ${state}`),
      ...bridges.map(({ id, bridge_type }) => `bridge ${id} (${bridge_type})`),
    ];
  }

  /** Kills it at once (SIGKILL). */
  kill(): void {
    try {
      process.kill(this.part.pid, 'SIGKILL');
    } catch {
      // It had already stopped.
    }
  }

  /** Starts it again after its death, as a process supervisor does. */
  async restart(): Promise<void> {
    await this.part.stop();
    this.part = await startAsterisk(this.options);
  }

  async stop(): Promise<void> {
    await stopEmbedded({ asterisk: this.part });
    this.#stopped = true;
  }

  async #get<T>(path: string): Promise<T> {
    const { url, user, password } = this.part.ari;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return (await (await fetch(`${url}${path}`, { headers: { authorization } })).json()) as T;
  }
}

async function startAsterisk(options: EmbeddedOptions): Promise<AsteriskPart> {
  const { asterisk } = await startEmbedded(options, { postgres: false, redis: false, asterisk: true, speech: false });
  if (!asterisk) throw new Error('Asterisk was not started');
  return asterisk;
}

function celLine(seconds: number): string {
  return `"CHAN_START","${seconds.toFixed(6)}","before","before","PJSIP/before-00000000",""\n`;
}
