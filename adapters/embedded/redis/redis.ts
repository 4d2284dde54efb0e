import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { numberIn, readJson, rotateLog, stringIn, tail, writeJson, writePrivate } from '../system/files.js';
import { withLock } from '../system/lock.js';
import { chooseLoopbackPort } from '../system/ports.js';
import { endProcess, isAlive, processRef, rememberedProcess } from '../system/process.js';
import type { ProcessRef } from '../system/process.js';
import { spawnDetached } from '../system/run.js';
import { untilReady } from '../system/until-ready.js';
import { resolveTool } from '../packages/tools.js';
import { EmbeddedError } from '../system/types.js';
import type { EmbeddedPart, PackageOptions, Tool } from '../system/types.js';

const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 20_000;

export interface RedisPart extends EmbeddedPart {
  readonly name: 'redis';
  readonly url: string;
}

/**
 * Starts Redis in `<dataDir>/redis`, or adopts one that already runs there. It listens on 127.0.0.1 only, requires a
 * password, never evicts keys, and syncs its append-only file every second.
 * @throws EmbeddedError if it cannot be downloaded or started; includes the end of its log
 */
export async function startRedis(dataDir: string, packages: PackageOptions): Promise<RedisPart> {
  const home = join(dataDir, 'redis');
  const tool = await resolveTool('redis-server', packages);
  return withLock(join(home, 'start.lock'), () => startLocked(home, tool));
}

async function startLocked(home: string, tool: Tool): Promise<RedisPart> {
  const stateFile = join(home, 'state.json');
  const accessFile = join(home, 'access.json');
  const logFile = join(home, 'redis.log');
  const access = readJson(accessFile);
  const password = stringIn(access, 'password') ?? randomBytes(24).toString('hex');
  const knownPort = numberIn(access, 'port');

  const running = rememberedProcess(readJson(stateFile), home);
  if (running) {
    const version =
      knownPort === undefined
        ? undefined
        : await untilReady(
            () => probe(knownPort, password),
            () => isAlive(running),
            10_000,
          );
    if (version !== undefined && knownPort !== undefined) return partOf(running, version, knownPort, true);
    await endProcess(running, 'SIGTERM', END_WITHIN_MS);
  }

  const port = await chooseLoopbackPort(knownPort);
  await mkdir(join(home, 'data'), { recursive: true, mode: 0o700 });
  writeJson(accessFile, { port, password });
  await rotateLog(logFile);
  const config = join(home, 'redis.conf');
  writePrivate(config, redisConfig(join(home, 'data'), port, password));
  const { pid, exited } = await spawnDetached(tool.command, [...tool.args, config], {
    env: tool.env,
    cwd: home,
    logFile,
  });
  const process = processRef(pid);
  let gone = process === undefined;
  void exited.then(() => (gone = true));
  if (process) writeJson(stateFile, { process });
  const version = await untilReady(
    () => probe(port, password),
    () => !gone,
    READY_WITHIN_MS,
  );
  if (version === undefined || !process) {
    if (process) await endProcess(process, 'SIGTERM', END_WITHIN_MS);
    throw new EmbeddedError('redis', `it did not become ready (see ${logFile}): ${tail(logFile)}`);
  }
  return partOf(process, version, port, false);

  function partOf(ref: ProcessRef, found: string, at: number, adopted: boolean): RedisPart {
    return {
      name: 'redis',
      version: found,
      pid: ref.pid,
      adopted,
      logFile,
      url: `redis://:${password}@127.0.0.1:${at}/0`,
      stop: () => endProcess(ref, 'SIGTERM', END_WITHIN_MS),
    };
  }
}

function redisConfig(dir: string, port: number, password: string): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    'protected-mode yes',
    `requirepass ${password}`,
    'daemonize no',
    `dir "${dir.replaceAll(/["\\]/g, '\\$&')}"`,
    'appendonly yes',
    'appendfsync everysec',
    // The append-only file already contains everything.
    'save ""',
    // A job queue must never lose a key silently.
    'maxmemory-policy noeviction',
    'logfile ""',
    'loglevel notice',
    '',
  ].join('\n');
}

/** Returns the version of the Redis that accepts our password, once its data is loaded. */
async function probe(port: number, password: string): Promise<string | undefined> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    password,
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const info = await client.info();
    if (/^loading:1/m.test(info)) return undefined;
    return /^redis_version:(\S+)/m.exec(info)?.[1];
  } catch {
    return undefined;
  } finally {
    client.disconnect();
  }
}
