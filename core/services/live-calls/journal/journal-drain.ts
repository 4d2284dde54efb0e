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

/** Entries sent to the writer at once: as many as it takes in one statement. */
export const DRAIN_BATCH = 200;

export type DrainOutcome = 'written' | 'unavailable' | 'fenced';

/** Prepares an entry before it is written. Returns null to skip the entry. */
export type Prepare = (effect: CallEffect) => CallEffect | null;

/**
 * Writes the oldest journal entries to the database, in order, and drops those that the database accepted or refused
 * for good. If the outcome of an entry is unknown, it and all later entries stay: the writer is idempotent.
 * @throws the journal's errors
 */
export async function writeOldest(
  journal: Journal,
  writer: Pick<CallWriter, 'commit'>,
  log: Logger,
  prepare: Prepare = (effect) => effect,
): Promise<DrainOutcome> {
  // Dates are read as text, which is also how the writer sends them.
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

/** Maps a failed write to its outcome: `written` only if a repeat can never help. */
function outcomeOf(error: unknown, log: Logger, callId: string | undefined): DrainOutcome {
  if (error instanceof FencedError) return 'fenced';
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  if (error instanceof StaleCallError || error instanceof FinalCallError) {
    log.info({ callId }, 'a journal entry was already written, or the call has advanced since');
    return 'written';
  }
  if (!isRefusedData(error)) {
    log.error({ err: error, callId }, 'a journal entry could not be written; retrying');
    return 'unavailable';
  }
  log.error({ err: error, callId }, 'the database refused a journal entry for good');
  return 'written';
}
