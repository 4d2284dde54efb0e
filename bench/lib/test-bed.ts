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

/** Calls may take this long to end on their own; then they are hung up. */
const PATIENCE_MS = 1_500;
/** The next step starts after this time at the latest. */
const QUIET_WITHIN_MS = 10_000;

/** PostgreSQL, Redis, an engine and sipp that only the benchmark uses, in a temporary folder. */
export interface TestBed {
  readonly folder: string;
  readonly parts: Required<{ [Name in 'postgres' | 'redis']: NonNullable<EmbeddedParts[Name]> }>;
  readonly engine: BenchEngine;
  readonly sipp: Tool;
  /** The port from which callees send their audio. */
  readonly mediaPort: number;
  /** Resolves when the engine has no live calls; hangs up calls that do not end soon. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

export async function openTestBed(title: BenchEngine['title']): Promise<TestBed> {
  const folder = mkdtempSync(join(tmpdir(), 'hatif-bench-'));
  // If this process runs as root, PostgreSQL runs under another account, which must be able to read the folder.
  chmodSync(folder, 0o755);
  const packages = { cacheDir: resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache'), onProgress: logProgress };
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
    if (!postgres || !redis) throw new Error('PostgreSQL or Redis was not started');
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
    // Calls that a failed step left behind would ring for another half a minute.
    if (passedMs > PATIENCE_MS) await engine.hangUpAll();
    await new Promise((done) => setTimeout(done, 100));
  }
}

let lastProgress = '';

/** One line per step: skips repeated texts, which would flood the terminal. */
function logProgress(text: string): void {
  if (text !== lastProgress) process.stdout.write(`  ${text}\n`);
  lastProgress = text;
}
