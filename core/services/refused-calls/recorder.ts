import type { RefusedCallsRow } from '../../data/repositories/calls/refused-calls.js';
import { maskNumber } from '../../model/access/masking.js';
import type { CallerBlock, Refusal, RefusalReason } from '../../model/call/refusal.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Clock } from '../../ports/clock.js';
import type { LegEvent } from '../../ports/engine-events.js';
import type { Logger } from '../../ports/logger.js';
import type { RefusedCall } from '../blocked-callers/reports.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

type IncomingEvent = Extract<LegEvent, { type: 'leg.incoming' }>;

export interface RefusalRecorderOptions {
  readonly engineId: string;
  readonly table: { add(rows: readonly RefusedCallsRow[]): Promise<void> };
  /** Counts each refusal. */
  readonly observe: (reason: RefusalReason) => void;
  /** Called for each call that an entry of a block list refuses. */
  readonly onBlocked?: (block: CallerBlock, call: RefusedCall) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rows of an hour that name a number. Calls to further numbers are only counted. */
export const LISTED_PER_HOUR = 200;
const EVERY_MS = 2_000;
const HOUR_MS = 3_600_000;
/** A dialled number can be any text that a SIP address can hold. */
const MAX_DIALLED = 32;

/**
 * Records the incoming calls of an engine that were refused. A flood of them costs no more than {@link LISTED_PER_HOUR}
 * rows and lines of the log an hour: calls that have source, number and reason in common are one row. What is not
 * written when the process dies is lost.
 */
export class RefusalRecorder {
  /** The refusals since the last write. */
  #pending = new Map<string, RefusedCallsRow>();
  /** The rows of the current hour that name a number. */
  readonly #listed = new Set<string>();
  #hourMs = 0;
  #isCrowded = false;
  readonly #regular: PeriodicWork;

  constructor(private readonly options: RefusalRecorderOptions) {
    const { clock, log } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'failed to write refused calls; will retry');
    this.#regular = new PeriodicWork({ work: () => this.write(), everyMs: EVERY_MS, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  /** Writes the refusals that are not written yet, if the database is available. */
  async stop(): Promise<void> {
    await this.#regular.stop();
    await this.write().catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'refused calls could not be written and are lost');
    });
  }

  note({ source, dialled, callerId, at }: IncomingEvent, { reason, refuse: q850, block }: Refusal): void {
    this.options.observe(reason);
    const line = shownDialled(dialled, source.type);
    if (block) this.options.onBlocked?.(block, { caller: callerId.number, line, at });
    const row = this.#listedOrCounted({
      engine_id: this.options.engineId,
      hour: new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS),
      reason,
      source: source.type,
      source_id: source.type === 'trunk' ? source.trunkId : source.type === 'softphone' ? source.aor : '',
      dialled: line,
      caller_masked: source.type === 'softphone' || callerId.number === null ? null : maskNumber(callerId.number),
      q850,
      calls: 1,
      first_at: at,
      last_at: at,
    });
    add(this.#pending, row);
  }

  /** @throws DatabaseUnavailable; the refusals are then kept for the next write */
  async write(): Promise<void> {
    const written = this.#pending;
    if (written.size === 0) return;
    this.#pending = new Map();
    try {
      await this.options.table.add([...written.values()]);
    } catch (error) {
      for (const row of this.#pending.values()) add(written, row);
      this.#pending = written;
      throw error;
    }
  }

  /** Returns the row; without number and source if the hour has too many rows already. */
  #listedOrCounted(row: RefusedCallsRow): RefusedCallsRow {
    const { log } = this.options;
    if (row.hour.getTime() !== this.#hourMs) {
      this.#hourMs = row.hour.getTime();
      this.#isCrowded = false;
      this.#listed.clear();
    }
    const key = keyOf(row);
    if (this.#listed.has(key)) return row;
    if (this.#listed.size < LISTED_PER_HOUR) {
      this.#listed.add(key);
      const { reason, source, source_id: from, q850, caller_masked: caller } = row;
      log.info(
        { reason, source, from, dialled: maskNumber(row.dialled), caller, q850 },
        'an incoming call was refused',
      );
      return row;
    }
    if (!this.#isCrowded) log.warn({}, 'many different calls are refused; further ones of this hour are only counted');
    this.#isCrowded = true;
    return { ...row, source_id: '', dialled: '', caller_masked: null };
  }
}

/** Adds to the row with the same key. */
function add(rows: Map<string, RefusedCallsRow>, row: RefusedCallsRow): void {
  const key = keyOf(row);
  const known = rows.get(key);
  rows.set(key, known ? { ...row, calls: known.calls + row.calls, first_at: known.first_at } : row);
}

function keyOf({ hour, reason, source, source_id, dialled }: RefusedCallsRow): string {
  return JSON.stringify([hour.getTime(), reason, source, source_id, dialled]);
}

/**
 * A softphone dials its customer, whose number is masked. What a carrier dials is a number that it takes for one of this
 * installation, which the operator has to know.
 */
function shownDialled(dialled: string, source: RefusedCallsRow['source']): string {
  const number = parseNumber(dialled, { allowForeign: true })?.e164 ?? dialled.slice(0, MAX_DIALLED);
  return source === 'softphone' ? maskNumber(number) : number;
}
