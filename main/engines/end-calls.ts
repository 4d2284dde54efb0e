import { pause, type Clock } from '../../core/ports/clock.js';
import type { EngineRole } from './engine-role.js';

/** How often the process checks for a successor that takes over its engines. */
const LOOK_FOR_SUCCESSOR_MS = 500;

interface RestOptions {
  readonly drainMs: number;
  readonly hangUp: boolean;
  readonly clock: Clock;
  readonly isLeaving: () => boolean;
}

/**
 * Waits until the engines' calls have ended or a successor for the engines is found, whichever comes first.
 * @returns which process continues the calls; `none` if calls have ended or remain without a successor
 */
export async function endCalls(
  engine: EngineRole,
  options: RestOptions,
): Promise<'another process' | 'the next start' | 'none'> {
  const { drainMs, hangUp, clock, isLeaving } = options;
  await engine.standDown();
  if (await engine.isShared()) return 'another process';
  if (isLeaving()) return 'the next start';
  const drained = engine.drain(drainMs);
  const aWhile = (): Promise<null> => pause(clock, LOOK_FOR_SUCCESSOR_MS).then(() => null);
  for (;;) {
    const left = await Promise.race([drained, aWhile()]);
    if (left === null) {
      if (await engine.isShared()) return 'another process';
      if (isLeaving()) return 'the next start';
      continue;
    }
    if (left > 0 && hangUp && !isLeaving()) await engine.hangUpEmbedded();
    return 'none';
  }
}
