import { pause, type Clock } from '../../core/ports/clock.js';
import type { EngineRole } from './engine-role.js';

/** How often somebody is looked for who takes the engines over. */
const LOOK_FOR_SUCCESSOR_MS = 500;

interface RestOptions {
  readonly drainMs: number;
  readonly hangUp: boolean;
  readonly clock: Clock;
  readonly isLeaving: () => boolean;
}

/** Bring the engines' calls to an end, or find who goes on with them: whichever comes first. */
export async function endCalls(
  engine: EngineRole,
  options: RestOptions,
): Promise<'another process' | 'the next start' | 'nobody'> {
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
    return 'nobody';
  }
}
