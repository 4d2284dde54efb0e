import { pause, type Clock } from '../../core/ports/clock.js';
import type { EngineRole } from './engine-role.js';

/** How often a successor for the engines is looked for. */
const LOOK_FOR_SUCCESSOR_MS = 500;

interface RestOptions {
  readonly drainMs: number;
  readonly hangUp: boolean;
  readonly clock: Clock;
  readonly isLeaving: () => boolean;
}

/**
 * Waits until the engines' calls have ended or a successor for the engines is found, whichever comes first.
 * @returns who continues the calls
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
