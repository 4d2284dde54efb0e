import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { startEmbedded, stopEmbedded, type AsteriskPart, type PackageOptions } from '../../adapters/embedded/index.js';
import { UNLIMITED, type BenchEngine } from './engine.js';
import { freeUdpPort } from './ports.js';

/** Contexts that bypass the platform: the engine alone, and the engine with a minimal application. */
const CONTEXTS = `
[bench-plain]
exten => _[+0-9]!,1,Answer()
 same => n,Hangup()

[bench-bare]
exten => _[+0-9]!,1,Stasis(bench)
 same => n,Hangup()
`;

/** Sends an ARI request; resolves with the parsed response. */
type Ari = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<unknown>;

export async function openAsterisk(folder: string, packages: PackageOptions): Promise<BenchEngine> {
  const templatesDir = join(folder, 'asterisk-templates');
  cpSync(fileURLToPath(new URL('../../config/asterisk', import.meta.url)), templatesDir, { recursive: true });
  appendFileSync(join(templatesDir, 'extensions.conf'), CONTEXTS);
  const sip = { bind: '127.0.0.1', port: await freeUdpPort() };
  const parts = await startEmbedded(
    {
      dataDir: join(folder, 'data'),
      ...packages,
      asterisk: { sip, rtp: { from: 26_000, to: 29_999 }, templatesDir, maxCallsPerSecond: UNLIMITED },
    },
    { postgres: false, redis: false, asterisk: true, speech: false },
  );
  try {
    if (!parts.asterisk) throw new Error('Asterisk was not started');
    return await engineOf(parts.asterisk, () => stopEmbedded(parts));
  } catch (error) {
    await stopEmbedded(parts);
    throw error;
  }
}

async function engineOf(asterisk: AsteriskPart, stop: () => Promise<void>): Promise<BenchEngine> {
  const ari = ariOf(asterisk);
  const { url, user, password } = asterisk.ari;
  const { pid, version } = asterisk;
  const sip = `${asterisk.sip.host}:${asterisk.sip.port}`;
  const [trunk, bare, plain] = [await freeUdpPort(), await freeUdpPort(), await freeUdpPort()];
  await pushPeer(ari, 'bench-plain', plain);
  await pushPeer(ari, 'bench-bare', bare);
  const channels = async (): Promise<readonly { readonly id: string }[]> =>
    (await ari('GET', '/channels')) as readonly { readonly id: string }[];
  return {
    title: 'Asterisk',
    version,
    peers: { trunk: { sip, pid, port: trunk }, bare: { sip, pid, port: bare }, plain: { sip, pid, port: plain } },
    numbers: { bare: '1', plain: '1' },
    settings: { ASTERISK_ARI_URL: url, ASTERISK_ARI_USER: user, ASTERISK_ARI_PASSWORD: password },
    scripts: {
      answer: 'baselines/ari-answer.ts',
      dial: 'baselines/ari-dial.ts',
      environment: { ARI_URL: url, ARI_USER: user, ARI_PASSWORD: password },
    },
    async mute(legId, muted) {
      await ari(muted ? 'POST' : 'DELETE', `/channels/${legId}/mute?direction=in`);
    },
    async limit(callsPerSecond) {
      await ari('POST', `/asterisk/variable?variable=HATIF_MAX_CALLS_PER_SECOND&value=${callsPerSecond}`);
    },
    async calls() {
      return (await channels()).length;
    },
    async hangUpAll() {
      await Promise.allSettled(
        (await channels()).map(({ id }) => ari('DELETE', `/channels/${encodeURIComponent(id)}`)),
      );
    },
    stop,
  };
}

export function ariOf({ ari: access }: AsteriskPart): Ari {
  const authorization = `Basic ${Buffer.from(`${access.user}:${access.password}`).toString('base64')}`;
  return async (method, path, body) => {
    const response = await request(`${access.url}${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
}

/** Adds an endpoint for calls from and to one local port. */
export async function pushPeer(ari: Ari, context: string, port: number): Promise<void> {
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
    await ari('PUT', `/asterisk/config/dynamic/res_pjsip/${object}`, {
      fields: Object.entries(fields).map(([attribute, value]) => ({ attribute, value })),
    });
  }
}
