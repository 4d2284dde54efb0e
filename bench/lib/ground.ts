import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  resolveTool,
  startEmbedded,
  stopEmbedded,
  type EmbeddedParts,
  type Tool,
} from '../../adapters/embedded/index.js';
import { openAsterisk } from './asterisk.js';
import type { BenchEngine } from './engine.js';
import { openFreeswitch } from './freeswitch.js';
import { freeUdpPort } from './ports.js';

/** How long calls may take to end by themselves, and when the next step begins at the latest. */
const PATIENCE_MS = 1_500;
const QUIET_WITHIN_MS = 10_000;

/** PostgreSQL, Redis, an engine and sipp for the benchmark alone, in a folder of its own. */
export interface Ground {
  readonly folder: string;
  readonly parts: Required<{ [Name in 'postgres' | 'redis']: NonNullable<EmbeddedParts[Name]> }>;
  readonly engine: BenchEngine;
  readonly sipp: Tool;
  /** From which callees send their audio. */
  readonly mediaPort: number;
  /** Resolves when the engine has no call left; those that do not end by themselves soon are hung up. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

export async function openGround(title: BenchEngine['title']): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'hatif-bench-'));
  // Readable for the account that PostgreSQL runs under when this is root.
  chmodSync(folder, 0o755);
  const packages = { cacheDir: resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache'), onProgress: tell };
  const started: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of started.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const sipp = await resolveTool('sipp', packages);
    const parts = await startEmbedded(
      { dataDir: join(folder, 'data'), ...packages },
      { postgres: true, redis: true, asterisk: false, speech: false },
    );
    started.push(() => stopEmbedded(parts));
    const { postgres, redis } = parts;
    if (!postgres || !redis) throw new Error('the parts were not started');
    const engine = title === 'Asterisk' ? await openAsterisk(folder, packages) : await openFreeswitch(folder);
    started.push(() => engine.stop());
    const mediaPort = await freeUdpPort();
    return { folder, parts: { postgres, redis }, engine, sipp, mediaPort, quiet: () => quiet(engine), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function quiet(engine: BenchEngine): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const passedMs = performance.now() - startedMs;
    if ((await engine.calls()) === 0 || passedMs > QUIET_WITHIN_MS) return;
    // What a failed step left would go on ringing for half a minute.
    if (passedMs > PATIENCE_MS) await engine.hangUpAll();
    await new Promise((done) => setTimeout(done, 100));
  }
}

let told = '';

/** One line a step; a terminal would be flooded by each per cent. */
function tell(text: string): void {
  if (text !== told) process.stdout.write(`  ${text}\n`);
  told = text;
}
