import type { Database } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { BlockedCallers, RefusedByEntry, ReportedEntry } from '../../data/repositories/numbers/blocked-callers.js';
import { maskNumber } from '../../model/access/masking.js';
import type { CallerBlock } from '../../model/call/refusal.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface BlockReportsOptions {
  readonly db: Database;
  readonly table: Pick<BlockedCallers, 'addRefused'>;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A call that an entry refused. */
export interface RefusedCall {
  /** What the caller showed; null if nothing. */
  readonly caller: string | null;
  /** The dialled number. */
  readonly line: string | null;
  readonly at: Date;
}

/** The refused calls of one entry since the last write; the number and the line are those of the last call. */
interface Pending extends RefusedByEntry {
  readonly caller: string | null;
  readonly line: string | null;
}

const EVERY_MS = 2_000;
/** A caller who calls all the time causes one event in this time. */
const REPORTED_EVERY_MS = 3_600_000;

/**
 * Counts the calls that each entry of a block list refused, and reports them by `number.caller_blocked`, at most once an
 * hour for each entry. Calls are summed up in memory: a flood of them costs one row in two seconds. What is not written
 * when the process dies is lost.
 */
export class BlockReports {
  #pending = new Map<string, Pending>();
  readonly #regular: PeriodicWork;

  constructor(private readonly options: BlockReportsOptions) {
    const { clock, log } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'failed to count blocked callers; will retry');
    this.#regular = new PeriodicWork({ work: () => this.write(), everyMs: EVERY_MS, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  /** Writes what is not written yet, if the database is available. */
  async stop(): Promise<void> {
    await this.#regular.stop();
    await this.write().catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'calls of blocked callers could not be counted');
    });
  }

  note({ id }: CallerBlock, { caller, line, at }: RefusedCall): void {
    add(this.#pending, { id, calls: 1, lastAt: at, caller, line });
  }

  /** @throws DatabaseUnavailable; the calls are then kept for the next write */
  async write(): Promise<void> {
    const written = this.#pending;
    if (written.size === 0) return;
    this.#pending = new Map();
    const { db, table, wake, clock } = this.options;
    const now = clock.now();
    try {
      const lanes = await db.transaction(async (tx) => {
        const reported = await table.addRefused(
          tx,
          [...written.values()],
          new Date(now.getTime() - REPORTED_EVERY_MS),
          now,
        );
        const woken: string[] = [];
        for (const entry of reported)
          woken.push(...(await recordEvent(tx, eventOf(entry, written.get(entry.id), now))));
        return woken;
      });
      if (lanes.length > 0) wake(lanes);
    } catch (error) {
      for (const refused of this.#pending.values()) add(written, refused);
      this.#pending = written;
      throw error;
    }
  }
}

function add(pending: Map<string, Pending>, refused: Pending): void {
  const known = pending.get(refused.id);
  pending.set(refused.id, known ? { ...refused, calls: known.calls + refused.calls } : refused);
}

function eventOf(entry: ReportedEntry, last: Pending | undefined, now: Date) {
  const { id, organization_id, project_id, agent, kind, refused_calls } = entry;
  const caller = last?.caller ?? null;
  return projectEvent({
    ...{ organization_id, project_id, sandbox: false, created_at: now },
    type: 'number.caller_blocked',
    data: {
      ...{ blocked_caller_id: id, kind, agent, refused_calls },
      caller_masked: caller === null ? null : maskNumber(caller),
      line_number: last?.line ?? null,
      last_refused_at: isoTime(last?.lastAt ?? now),
    },
  });
}
