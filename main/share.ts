import { processPart, PROCESS } from './owner-name.js';
import type { OwnedEngine } from './owned-engine.js';
import type { OwnedEngineOptions } from './tenure.js';

/**
 * Hand one engine to a process that waits for it and owns at least two fewer than this one: processes that start later come to their share,
 * and none is handed to and fro. The one with the fewest live calls goes first, since for two to three seconds nobody controls them.
 */
export async function passOne(
  engines: readonly OwnedEngine[],
  { stores, log }: Pick<OwnedEngineOptions, 'stores' | 'log'>,
): Promise<void> {
  const owned = engines.filter((engine) => engine.isOwned).sort((a, b) => a.liveCalls - b.liveCalls);
  if (owned.length < 2) return;
  for (const engine of owned) {
    const candidate = await engine.candidate();
    if (candidate === null || processPart(candidate) === processPart(PROCESS)) continue;
    const theirs = await stores.engines.countOf(processPart(candidate));
    if (owned.length - theirs < 2) continue;
    log.info({ engineId: engine.engineId, to: candidate }, 'the engine is handed to a process that has fewer');
    await engine.pass();
    return;
  }
}
