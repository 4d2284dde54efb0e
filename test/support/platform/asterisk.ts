import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbedded, stopEmbedded, type AsteriskPart } from '../../../adapters/embedded/index.js';
import { freeSipPort } from '../phones/index.js';

interface Shared {
  readonly folder: string;
  readonly part: AsteriskPart;
}

let shared: Promise<Shared> | null = null;

/** The Asterisk that all files of a test process share; the first one starts it, and it ends with the run. */
export async function sharedAsterisk(): Promise<AsteriskPart> {
  shared ??= start();
  return (await shared).part;
}

/** The platform's settings for this Asterisk. */
export function settingsFor({ ari, celFile, sip }: AsteriskPart): Readonly<Record<string, string>> {
  return {
    ASTERISK_ARI_URL: ari.url,
    ASTERISK_ARI_USER: ari.user,
    ASTERISK_ARI_PASSWORD: ari.password,
    ASTERISK_CEL_FILE: celFile,
    SIP_PORT: String(sip.port),
  };
}

/** Sends an ARI request directly to the shared Asterisk, not through a platform's proxy. */
export async function askAsterisk(method: string, path: string): Promise<Response> {
  const { url, user, password } = (await sharedAsterisk()).ari;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return fetch(`${url}${path}`, { method, headers: { authorization } });
}

async function start(): Promise<Shared> {
  const folder = await mkdtemp(join(tmpdir(), 'hatif-engine-'));
  // Below the ports of phones and of other engines that tests start; several runs may share the machine.
  const from = 10_000 + 500 * randomInt(0, 20);
  const { asterisk } = await startEmbedded(
    {
      dataDir: folder,
      cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache'),
      asterisk: { sip: { bind: '127.0.0.1', port: await freeSipPort() }, rtp: { from, to: from + 499 } },
    },
    { postgres: false, redis: false, asterisk: true, speech: false },
  );
  if (!asterisk) throw new Error('Asterisk was not started');
  const { pid } = asterisk;
  process.once('exit', () => {
    // It has its own session: an aborted run must not leave it behind.
    if (shared) process.kill(pid, 'SIGKILL');
  });
  return { folder, part: asterisk };
}

// The first file that needs Asterisk imports this module, so this is a hook of the whole run.
after('stop the shared Asterisk', async () => {
  if (!shared) return;
  const { folder, part } = await shared;
  shared = null;
  await stopEmbedded({ asterisk: part });
  await rm(folder, { recursive: true, force: true });
});
