import type { CallEffect, CallWriter } from '../../../data/call-writer.js';
import type { CallRow } from '../../../data/rows.js';
import { DatabaseUnavailable } from '../../../data/errors.js';
import { pause, type Clock } from '../../../ports/clock.js';
import type { JournalStore, OrphanedJournal } from '../../../ports/journal.js';
import type { Logger } from '../../../ports/logger.js';
import { DRAIN_BATCH, writeOldest, type DrainOutcome } from './journal-drain.js';

const RETRY_MS = 1_000;

export interface ReplayOptions {
  readonly engineId: string;
  /** The epoch held now; null once the lease is lost. */
  readonly lease: { readonly epoch: number | null };
  readonly journalStore: JournalStore;
  readonly writer: Pick<CallWriter, 'commit'>;
  readonly calls: { find(callId: string): Promise<CallRow | null> };
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when another process owns the engine. */
  readonly onFenced: () => void;
}

/**
 * Writes the entries that earlier owners of this engine left in this process's journals, under the current epoch. Must
 * run before any call is taken over. Leaves a call unchanged if another process has advanced it since. Waits while the
 * database is unavailable.
 * @returns false if the engine was lost meanwhile; the remaining entries stay in the journal
 */
export async function replayJournals(options: ReplayOptions): Promise<boolean> {
  const { engineId, lease, journalStore } = options;
  if (lease.epoch === null) return false;
  const left = await journalStore.orphaned(engineId, lease.epoch);
  try {
    for (const journal of left) {
      if (!(await replay(options, journal))) return false;
      await journal.remove();
    }
    return true;
  } finally {
    await Promise.all(left.map((journal) => journal.close()));
  }
}

async function replay(options: ReplayOptions, journal: OrphanedJournal): Promise<boolean> {
  const { lease, clock, log, onFenced } = options;
  if (journal.entries === 0) return true;
  const { epoch } = lease;
  if (epoch === null) return false;
  log.warn({ entries: journal.entries, epochs: journal.epochs }, 'replaying journal entries of earlier owners');
  // Read before `take`: entries written from now on carry this process's epoch, and a repeated replay must recognize
  // them.
  const ours = new Set(journal.epochs);
  await journal.recordReplay(epoch);
  const known = new Map<string, boolean>();
  while (journal.entries > 0) {
    const outcome = await writeSome(options, journal, { epoch, ours, known });
    if (outcome === 'fenced') {
      onFenced();
      return false;
    }
    if (lease.epoch !== epoch) return false;
    if (outcome === 'unavailable') await pause(clock, RETRY_MS);
  }
  return true;
}

interface Turn {
  readonly epoch: number;
  /** Epochs in which only this journal's owner, or a replay of this journal, has written. */
  readonly ours: ReadonlySet<number>;
  /**
   * Whether a call may be written. Cached, because no other process can write the call while this one holds the epoch.
   */
  readonly known: Map<string, boolean>;
}

async function writeSome(options: ReplayOptions, journal: OrphanedJournal, turn: Turn): Promise<DrainOutcome> {
  const { engineId, writer, log } = options;
  const { epoch, known } = turn;
  try {
    const next = (await journal.peek(DRAIN_BATCH)) as readonly CallEffect[];
    const unknown = new Set(next.map(({ call }) => call.id).filter((id) => !known.has(id)));
    await Promise.all([...unknown].map(async (id) => known.set(id, await isOurs(options, id, turn))));
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return 'unavailable';
    throw error;
  }
  return writeOldest(journal, writer, log, (effect) =>
    known.get(effect.call.id) === true ? { ...effect, fence: { engineId, epoch } } : null,
  );
}

async function isOurs({ engineId, calls, log }: ReplayOptions, callId: string, { ours }: Turn): Promise<boolean> {
  const call = await calls.find(callId);
  if (!call) return true;
  if (call.engine_id === engineId && (call.epoch <= Math.min(...ours) || ours.has(call.epoch))) return true;
  log.error({ callId, epoch: call.epoch }, 'skipping journal entries of a call: another process has advanced it');
  return false;
}
