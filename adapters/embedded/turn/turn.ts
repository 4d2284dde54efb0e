import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stunProbe } from '../../turn/stun-probe.js';
import { resolveTool } from '../packages/tools.js';
import { readJson, rotateLog, stringIn, tail, writeJson, writePrivate } from '../system/files.js';
import { withLock } from '../system/lock.js';
import { listenFailure } from '../system/ports.js';
import { endProcess, isAlive, processRef, rememberedProcess, type ProcessRef } from '../system/process.js';
import { spawnDetached } from '../system/run.js';
import { untilReady } from '../system/until-ready.js';
import { EmbeddedError, type EmbeddedPart, type PackageOptions, type Tool } from '../system/types.js';
import type { TurnOptions } from '../system/types.js';
import { turnConfig } from './config.js';

const READY_WITHIN_MS = 20_000;
const END_WITHIN_MS = 10_000;

export interface TurnPart extends EmbeddedPart {
  readonly name: 'coturn';
  readonly port: number;
  readonly secret: string;
}

/**
 * Starts coturn in `<dataDir>/turn`, or adopts one that already runs there with the same configuration. It relays to public
 * addresses and to the media addresses of engines only.
 * @throws EmbeddedError if it cannot be downloaded or started; includes the end of its log
 */
export async function startTurn(dataDir: string, options: TurnOptions, packages: PackageOptions): Promise<TurnPart> {
  const home = join(dataDir, 'turn');
  const tool = await resolveTool('turnserver', packages);
  return withLock(join(home, 'start.lock'), () => startLocked(home, options, tool));
}

async function startLocked(home: string, options: TurnOptions, tool: Tool): Promise<TurnPart> {
  const stateFile = join(home, 'state.json');
  const accessFile = join(home, 'access.json');
  const logFile = join(home, 'turn.log');
  const { port, bind } = options;
  const secret = options.secret ?? stringIn(readJson(accessFile), 'secret') ?? randomBytes(24).toString('hex');
  const config = turnConfig(options, secret, home);
  const digest = createHash('sha256').update(config).digest('hex');
  const state = readJson(stateFile);
  const running = rememberedProcess(state, home);
  const asked = bind === '0.0.0.0' ? '127.0.0.1' : bind === '::' ? '::1' : bind;
  const url = `turn:${asked.includes(':') ? `[${asked}]` : asked}:${port}`;
  const answers = async (): Promise<string | undefined> => ((await stunProbe.answers(url)) ? tool.version : undefined);
  if (running) {
    const isSame = stringIn(state, 'config') === digest;
    if (isSame && (await untilReady(answers, () => isAlive(running), READY_WITHIN_MS)) !== undefined) {
      return partOf(running, true);
    }
    await endProcess(running, 'SIGTERM', END_WITHIN_MS);
  }
  const failure = await listenFailure('udp', bind, port);
  if (failure !== null) throw new EmbeddedError('coturn', `cannot listen on UDP port ${port} of ${bind}: ${failure}`);
  await mkdir(home, { recursive: true, mode: 0o700 });
  writeJson(accessFile, { secret });
  await rotateLog(logFile);
  const file = join(home, 'turnserver.conf');
  writePrivate(file, config);
  const { pid, exited } = await spawnDetached(tool.command, [...tool.args, '-c', file], {
    env: tool.env,
    cwd: home,
    logFile,
  });
  const process = processRef(pid);
  let gone = process === undefined;
  void exited.then(() => (gone = true));
  if (process) writeJson(stateFile, { process, config: digest });
  const version = await untilReady(answers, () => !gone, READY_WITHIN_MS);
  if (version === undefined || !process) {
    if (process) await endProcess(process, 'SIGTERM', END_WITHIN_MS);
    throw new EmbeddedError('coturn', `it did not become ready (see ${logFile}): ${tail(logFile)}`);
  }
  return partOf(process, false);

  function partOf(ref: ProcessRef, adopted: boolean): TurnPart {
    return {
      ...{ name: 'coturn', version: tool.version, pid: ref.pid, adopted, logFile, port, secret },
      stop: () => endProcess(ref, 'SIGTERM', END_WITHIN_MS),
    };
  }
}
