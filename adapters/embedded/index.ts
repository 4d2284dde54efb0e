import { mkdir, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { startAsterisk } from './asterisk/asterisk.js';
import type { AsteriskPart } from './asterisk/asterisk.js';
import { startPostgres } from './postgres/postgres.js';
import type { PostgresPart } from './postgres/postgres.js';
import { startRedis } from './redis/redis.js';
import type { RedisPart } from './redis/redis.js';
import { startTurn } from './turn/turn.js';
import type { TurnPart } from './turn/turn.js';
import { resolveTool } from './packages/tools.js';
import { EmbeddedError } from './system/types.js';
import type { EmbeddedOptions, EmbeddedPart, StopOptions, Tool } from './system/types.js';

export { resolveTool } from './packages/tools.js';
export type { ToolName } from './packages/tools.js';
export type { AriAddress } from './asterisk/ari-probe.js';
export type { AsteriskPart, PostgresPart, RedisPart, TurnPart };
export { EmbeddedError } from './system/types.js';
export type {
  AsteriskOptions,
  EmbeddedOptions,
  EmbeddedPart,
  PackageOptions,
  Progress,
  SipOptions,
  SipTlsOptions,
  StopOptions,
  Tool,
  TurnOptions,
} from './system/types.js';

export interface PartSelection {
  readonly postgres: boolean;
  readonly redis: boolean;
  readonly asterisk: boolean;
  readonly speech: boolean;
  /** Default: no. */
  readonly turn?: boolean;
}

/** The requested parts; the others are undefined. */
export interface EmbeddedParts {
  readonly postgres: PostgresPart | undefined;
  readonly redis: RedisPart | undefined;
  readonly asterisk: AsteriskPart | undefined;
  /** The espeak-ng program. It has no server process to stop. */
  readonly speech: Tool | undefined;
  readonly turn?: TurnPart | undefined;
}

/**
 * Starts the requested parts in parallel: adopts those that already run in the data directory, starts the others, and
 * downloads missing packages. If one fails, those that this call started are stopped, and the first error is thrown.
 * Adopted ones keep running: they may carry live calls. A TURN server that fails is left out with a warning: most browsers
 * call without one.
 * @throws EmbeddedError
 */
export async function startEmbedded(options: EmbeddedOptions, which: PartSelection): Promise<EmbeddedParts> {
  await mkdir(resolve(options.dataDir), { recursive: true, mode: 0o711 });
  const dataDir = await realpath(options.dataDir);
  const packages = { ...options, cacheDir: resolve(options.cacheDir) };
  const [postgres, redis, asterisk, speech, turn] = await Promise.allSettled([
    which.postgres ? startPostgres(dataDir) : undefined,
    which.redis ? startRedis(dataDir, packages) : undefined,
    which.asterisk ? startAsterisk(dataDir, asteriskOptions(options), packages) : undefined,
    which.speech ? resolveTool('espeak-ng', packages) : undefined,
    which.turn === true && options.turn ? startTurn(dataDir, options.turn, packages) : undefined,
  ]);
  try {
    return {
      postgres: got(postgres),
      redis: got(redis),
      asterisk: got(asterisk),
      speech: got(speech),
      turn: unlessFailed(turn, options.onProgress),
    };
  } catch (error) {
    await stopEmbedded(
      startedHere({
        postgres: valueOf(postgres),
        redis: valueOf(redis),
        asterisk: valueOf(asterisk),
        speech: valueOf(speech),
        turn: valueOf(turn),
      }),
    );
    throw error;
  }
}

/** The parts without adopted ones: those that a start began, and stops if it fails or is interrupted. */
export function startedHere({ postgres, redis, asterisk, speech, turn }: EmbeddedParts): EmbeddedParts {
  const unlessFound = <Part extends EmbeddedPart>(part: Part | undefined): Part | undefined =>
    part?.adopted === true ? undefined : part;
  return {
    postgres: unlessFound(postgres),
    redis: unlessFound(redis),
    asterisk: unlessFound(asterisk),
    speech,
    turn: unlessFound(turn),
  };
}

/** Stops the running parts, Asterisk first, and keeps their data. Does nothing for parts that have ended. */
export async function stopEmbedded(parts: Partial<EmbeddedParts>, options?: StopOptions): Promise<void> {
  await parts.asterisk?.stop(options);
  await Promise.all([parts.redis?.stop(), parts.postgres?.stop(), parts.turn?.stop()]);
}

function unlessFailed(
  turn: PromiseSettledResult<TurnPart | undefined>,
  onProgress: EmbeddedOptions['onProgress'],
): TurnPart | undefined {
  if (turn.status === 'fulfilled') return turn.value;
  const why = turn.reason instanceof Error ? turn.reason.message : String(turn.reason);
  onProgress?.(`Warning: the TURN server did not start, so browsers get no relay: ${why}`);
  return undefined;
}

function asteriskOptions(options: EmbeddedOptions): NonNullable<EmbeddedOptions['asterisk']> {
  if (options.asterisk) return options.asterisk;
  throw new EmbeddedError('asterisk', 'cannot be started without its options');
}

function valueOf<T>(result: PromiseSettledResult<T>): T | undefined {
  return result.status === 'fulfilled' ? result.value : undefined;
}

function got<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'fulfilled') return result.value;
  throw result.reason;
}
