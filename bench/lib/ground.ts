import { createSocket } from 'node:dgram';
import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import {
  resolveTool,
  startEmbedded,
  stopEmbedded,
  type EmbeddedParts,
  type Tool,
} from '../../adapters/embedded/index.js';

/** Calls that never see the platform: the engine alone, and the engine with the smallest possible application. */
const CONTEXTS = `
[bench-plain]
exten => _[+0-9]!,1,Answer()
 same => n,Hangup()

[bench-bare]
exten => _[+0-9]!,1,Stasis(bench)
 same => n,Hangup()
`;

/** How long calls may take to end by themselves, and when the next step begins at the latest. */
const PATIENCE_MS = 1_500;
const QUIET_WITHIN_MS = 10_000;

/** By this subscription the platform hears of softphones, and the engine makes an event of everything that happens to any call. */
const REGISTRATIONS = '/applications/hatif-registrations/subscription?eventSource=endpoint:PJSIP';

/** PostgreSQL, Redis, Asterisk and sipp for the benchmark alone, in a folder of its own. */
export interface Ground {
  readonly folder: string;
  readonly parts: Required<{ [Name in 'postgres' | 'redis' | 'asterisk']: NonNullable<EmbeddedParts[Name]> }>;
  readonly sipp: Tool;
  /** Where load comes from and goes to: each SIP port is another peer to the engine. */
  readonly ports: Readonly<Record<'trunk' | 'bare' | 'plain' | 'media', number>>;
  /** `host:port` of the engine. */
  readonly sip: string;
  /** Sends an ARI request; resolves with the parsed answer. */
  ari(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<unknown>;
  /** Runs the work while the engine sends nothing of its calls to the platform, which would slow down what is compared with it. */
  withoutPlatform<T>(work: () => Promise<T>): Promise<T>;
  /** Has the engine refuse what comes in faster. */
  limit(callsPerSecond: number): Promise<void>;
  /** Resolves when the engine has no call left; those that do not end by themselves soon are hung up. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

export async function openGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'hatif-bench-'));
  // Readable for the account that PostgreSQL runs under when this is root.
  chmodSync(folder, 0o755);
  const packages = { cacheDir: resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache'), onProgress: tell };
  const templatesDir = join(folder, 'asterisk-templates');
  cpSync(fileURLToPath(new URL('../../config/asterisk', import.meta.url)), templatesDir, { recursive: true });
  appendFileSync(join(templatesDir, 'extensions.conf'), CONTEXTS);
  const sip = { bind: '127.0.0.1', port: await freeUdpPort() };
  const started: Partial<EmbeddedParts>[] = [];
  try {
    const sipp = await resolveTool('sipp', packages);
    const parts = await startEmbedded(
      {
        dataDir: join(folder, 'data'),
        ...packages,
        asterisk: { sip, rtp: { from: 26_000, to: 29_999 }, templatesDir, maxCallsPerSecond: 100_000 },
      },
      { postgres: true, redis: true, asterisk: true, speech: false },
    );
    started.push(parts);
    const { postgres, redis, asterisk } = parts;
    if (!postgres || !redis || !asterisk) throw new Error('the parts were not started');
    const ground = groundOf(folder, { postgres, redis, asterisk }, sipp, {
      trunk: await freeUdpPort(),
      bare: await freeUdpPort(),
      plain: await freeUdpPort(),
      media: await freeUdpPort(),
    });
    await pushPeer(ground, 'bench-plain', ground.ports.plain);
    await pushPeer(ground, 'bench-bare', ground.ports.bare);
    return ground;
  } catch (error) {
    for (const parts of started) await stopEmbedded(parts);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function groundOf(folder: string, parts: Ground['parts'], sipp: Tool, ports: Ground['ports']): Ground {
  const { ari: access, sip } = parts.asterisk;
  const authorization = `Basic ${Buffer.from(`${access.user}:${access.password}`).toString('base64')}`;
  const ari: Ground['ari'] = async (method, path, body) => {
    const response = await request(`${access.url}${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
  return {
    folder,
    parts,
    sipp,
    ports,
    sip: `${sip.host}:${sip.port}`,
    ari,
    async withoutPlatform(work) {
      await ari('DELETE', REGISTRATIONS);
      try {
        return await work();
      } finally {
        await ari('POST', REGISTRATIONS);
      }
    },
    async limit(callsPerSecond) {
      await ari('POST', `/asterisk/variable?variable=HATIF_MAX_CALLS_PER_SECOND&value=${callsPerSecond}`);
    },
    async quiet() {
      const startedMs = performance.now();
      for (;;) {
        const channels = (await ari('GET', '/channels')) as readonly { readonly id: string }[];
        const passedMs = performance.now() - startedMs;
        if (channels.length === 0 || passedMs > QUIET_WITHIN_MS) return;
        // What a failed step left would go on ringing for half a minute.
        if (passedMs > PATIENCE_MS) {
          await Promise.allSettled(channels.map(({ id }) => ari('DELETE', `/channels/${encodeURIComponent(id)}`)));
        }
        await new Promise((done) => setTimeout(done, 100));
      }
    },
    async stop() {
      await stopEmbedded(parts);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An endpoint of the engine that calls from (and to) one local port belong to. */
async function pushPeer(ground: Ground, context: string, port: number): Promise<void> {
  const objects = {
    [`aor/${context}`]: { contact: `sip:127.0.0.1:${port}` },
    [`endpoint/${context}`]: {
      context,
      disallow: 'all',
      allow: 'alaw',
      aors: context,
      direct_media: 'no',
      rtp_symmetric: 'yes',
      identify_by: 'ip',
    },
    [`identify/${context}`]: { endpoint: context, match: `127.0.0.1:${port}` },
  };
  for (const [object, fields] of Object.entries(objects)) {
    await ground.ari('PUT', `/asterisk/config/dynamic/res_pjsip/${object}`, {
      fields: Object.entries(fields).map(([attribute, value]) => ({ attribute, value })),
    });
  }
}

/** Below the range from which the kernel takes ports for others. */
async function freeUdpPort(): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const port = 24_000 + Math.floor(Math.random() * 1_900);
    if (await isFreeUdp(port)) return port;
  }
  throw new Error('no free UDP port');
}

function isFreeUdp(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = createSocket('udp4');
    socket.once('error', () => done(false));
    socket.bind(port, '127.0.0.1', () => socket.close(() => done(true)));
  });
}

let told = '';

/** One line a step; a terminal would be flooded by each per cent. */
function tell(text: string): void {
  if (text !== told) process.stdout.write(`  ${text}\n`);
  told = text;
}
