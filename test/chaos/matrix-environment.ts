import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbedded } from '../../adapters/embedded/index.js';
import { Database } from '../../core/data/database.js';
import { freeSipPort } from '../support/phones/ports.js';
import { UdpProxy } from '../support/peers/udp-proxy.js';
import { Application } from './application.js';
import { FREESWITCH_PATH } from '../../api/routes/platform/freeswitch.js';
import { Cipher } from '../../core/model/access/cipher.js';
import { engineSecret } from '../../core/services/engines/manage.js';
import { findFreeswitch } from '../support/platform/find-freeswitch.js';
import { runHatif } from '../support/platform/programs.js';
import { ChaosAsterisk } from './asterisk.js';
import type { ChaosEngine } from './chaos-engine.js';
import { ChaosFreeswitch } from './freeswitch.js';
import { FreezableProxy } from './freezable-proxy.js';
import { serveSound } from './phones/sound.js';

/** An engine with the proxies in front of it. */
export interface MatrixEngine {
  readonly name: string;
  readonly engine: ChaosEngine;
  /** Carries commands and events between the processes and the engine. */
  readonly control: FreezableProxy;
  /** Carries the processes' SIP health check. */
  readonly sip: UdpProxy;
}

/** Two processes with separate data folders, as on two machines, that share two engines, a PostgreSQL and a Redis. */
export interface MatrixEnvironment {
  readonly db: Database;
  readonly carrierPort: number;
  readonly recordingDir: string;
  readonly soundUrl: string;
  readonly engines: readonly MatrixEngine[];
  readonly processes: readonly Application[];
  readonly urls: readonly string[];
  /** Adds the second engine as an operator does. */
  addSecondEngine(): Promise<void>;
  readonly parts: Readonly<Record<'postgres' | 'redis', StoppablePart>>;
  close(): Promise<void>;
}

/** A service that can be stopped cleanly and started again at the same address. */
export interface StoppablePart {
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The name of the engine that the settings describe. */
const FIRST = 'asterisk';
const SECOND = 'second';
const SECRET = 'a secret that both processes share, of course';
const REQUEST_LIMIT = '1000000';

/** @param mixed the second engine is a FreeSWITCH if one is installed */
export async function startMatrixEnvironment(program: readonly string[], mixed: boolean): Promise<MatrixEnvironment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hatif-matrix-'));
  const ports = [await freeSipPort(), await freeSipPort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const asterisk = await ChaosAsterisk.start(join(dataDir, FIRST));
  const startSecond = (): Promise<ChaosEngine> => {
    if (!mixed || 'missing' in findFreeswitch()) return ChaosAsterisk.start(join(dataDir, SECOND), asterisk);
    const password = engineSecret(new Cipher(SECRET), SECOND);
    const configurationUrls = urls.map((url) => `${url}${FREESWITCH_PATH}`);
    return ChaosFreeswitch.start({ urls: configurationUrls, user: SECOND, password });
  };
  const [parts, first, second, carrierPort, sound] = await Promise.all([
    startParts(join(dataDir, 'parts')),
    withProxies(FIRST, asterisk),
    startSecond().then((engine) => withProxies(SECOND, engine)),
    freeSipPort(),
    serveSound(),
  ]);
  const recordingDir = join(dataDir, 'recordings');
  const shared = {
    HATIF_SECRET: SECRET,
    LOG_TO: 'file',
    LOG_LEVEL: 'debug',
    DATABASE_URL: parts.databaseUrl,
    REDIS_URL: parts.redisUrl,
    ASTERISK_ARI_URL: `http://127.0.0.1:${first.control.port}`,
    ASTERISK_ARI_USER: asterisk.ari.user,
    ASTERISK_ARI_PASSWORD: asterisk.ari.password,
    ASTERISK_CEL_FILE: asterisk.celFile,
    ASTERISK_SIP_ADDRESS: `127.0.0.1:${first.sip.port}`,
    MEDIA_DIR: join(dataDir, 'media'),
    RECORDING_DIR: recordingDir,
    SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
    // A scripted phone in place of the carrier expects no OPTIONS.
    TRUNK_PROBE_SECONDS: '3600',
    SIP_PORT: String(first.engine.sip.port),
    HATIF_FLAGS_OFF: 'call_velocity',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    PLAY_URL_ALLOW_LOOPBACK: 'true',
    RATE_LIMIT_LIVE_PER_MINUTE: REQUEST_LIMIT,
    RATE_LIMIT_ADDRESS_PER_MINUTE: REQUEST_LIMIT,
  };
  const settings = ports.map((port, index) => ({
    ...shared,
    HATIF_DATA_DIR: join(dataDir, `process-${index + 1}`),
    HATIF_INSTANCE: `process-${index + 1}`,
    PORT: String(port),
  }));
  const processes = settings.map((own) => new Application(own, program));
  const db = Database.open(parts.databaseUrl);
  return {
    db,
    carrierPort,
    recordingDir,
    soundUrl: `http://127.0.0.1:${(sound.address() as AddressInfo).port}/tone.wav`,
    engines: [first, second],
    processes,
    urls,
    parts,
    async addSecondEngine() {
      const { args, password } = second.engine.addArguments({ host: '127.0.0.1', port: second.control.port });
      const sip = `127.0.0.1:${second.sip.port}`;
      await runHatif(settings[0] ?? {}, ['engines', 'add', SECOND, ...args, '--sip', sip], password);
    },
    async close() {
      sound.close();
      await db.close();
      await Promise.all([first, second].map((one) => stopEngine(one)));
      await parts.end();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

async function withProxies(name: string, engine: ChaosEngine): Promise<MatrixEngine> {
  const { host, port } = engine.control;
  const [control, sip] = await Promise.all([FreezableProxy.start(host, port), UdpProxy.start(engine.sip.port)]);
  return { name, engine, control, sip };
}

async function stopEngine({ engine, control, sip }: MatrixEngine): Promise<void> {
  sip.close();
  await control.close();
  await engine.stop();
}

/** A PostgreSQL and a Redis only for this run: stopping them must not affect other tests. */
async function startParts(
  dataDir: string,
): Promise<MatrixEnvironment['parts'] & { databaseUrl: string; redisUrl: string; end(): Promise<void> }> {
  const options = { dataDir, cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') };
  const which = { postgres: false, redis: false, asterisk: false, speech: false };
  const startPart = async (part: 'postgres' | 'redis') => {
    const { [part]: started } = await startEmbedded(options, { ...which, [part]: true });
    if (!started) throw new Error(`${part} was not started`);
    return started;
  };
  const running = { postgres: await startPart('postgres'), redis: await startPart('redis') };
  // They run in their own sessions: they must not outlive a run that was interrupted.
  const kill = (): void => {
    for (const { pid } of [running.redis, running.postgres]) process.kill(pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const stoppable = (part: 'postgres' | 'redis'): StoppablePart => ({
    stop: () => running[part].stop(),
    async start() {
      Object.assign(running, { [part]: await startPart(part) });
    },
  });
  return {
    databaseUrl: running.postgres.url,
    redisUrl: running.redis.url,
    postgres: stoppable('postgres'),
    redis: stoppable('redis'),
    async end() {
      process.off('exit', kill);
      await Promise.all([running.redis.stop(), running.postgres.stop()]);
    },
  };
}
