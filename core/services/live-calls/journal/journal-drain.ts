import type { CallEffect, CallWriter } from '../../../data/call-writer.js';
import {
  DatabaseUnavailable,
  FencedError,
  FinalCallError,
  isRefusedData,
  StaleCallError,
} from '../../../data/errors.js';
import type { Journal } from '../../../ports/journal.js';
import type { Logger } from '../../../ports/logger.js';

/** So many go to the writer at once: what it takes in one statement. */
export const DRAIN_BATCH = 200;

export type DrainOutcome = 'written' | 'unavailable' | 'fenced';

/** What has to happen to an entry before it is written; null when it is not to be written at all. */
export type Prepare = (effect: CallEffect) => CallEffect | null;

/**
 * Writes the oldest entries of the journal to the database, in order, and drops those that the database has taken or refused for good.
 * Where it is not known whether it took one, that one and all behind it stay: the writer lets repeats pass without any change.
 * @throws what the journal throws
 */
export async function writeOldest(
  journal: Journal,
  writer: Pick<CallWriter, 'commit'>,
  log: Logger,
  prepare: Prepare = (effect) => effect,
): Promise<DrainOutcome> {
  // Dates come back as text, which is also how the writer sends them.
  const effects = (await journal.peek(DRAIN_BATCH)) as readonly CallEffect[];
  const results = await Promise.allSettled(
    effects.map(async (effect) => {
      const prepared = prepare(effect);
      if (prepared) await writer.commit(prepared);
    }),
  );
  let done = 0;
  let outcome: DrainOutcome = 'written';
  for (const [index, result] of results.entries()) {
    const error: unknown = result.status === 'rejected' ? result.reason : null;
    if (error !== null) outcome = outcomeOf(error, log, effects[index]?.call.id);
    if (outcome !== 'written') break;
    done += 1;
  }
  await journal.drop(done);
  return outcome;
}

/** What a failure means for the entry: it is through (`written`) only where repeating it can never help. */
function outcomeOf(error: unknown, log: Logger, callId: string | undefined): DrainOutcome {
  if (error instanceof FencedError) return 'fenced';
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  if (error instanceof StaleCallError || error instanceof FinalCallError) {
    log.info({ callId }, 'a change from the journal was written before, or the call has gone on');
    return 'written';
  }
  if (!isRefusedData(error)) {
    log.error({ err: error, callId }, 'a change from the journal could not be written; it is tried again');
    return 'unavailable';
  }
  log.error({ err: error, callId }, 'a change from the journal was refused for good');
  return 'written';
}
