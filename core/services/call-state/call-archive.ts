import { DatabaseUnavailable } from '../../data/errors.js';
import type { Calls } from '../../data/repositories/calls/calls.js';
import type { Conferences } from '../../data/repositories/calls/conferences.js';
import type { CallRow, ConferenceRow, LegRow, ParticipantRow, RecordingRow, TransferRow } from '../../data/rows.js';

/** A call with its legs, recordings and transfers. */
export interface StoredCall {
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
  readonly recordings: readonly RecordingRow[];
  readonly transfers: readonly TransferRow[];
}

/** A conference with its current and former participants. */
export interface StoredConference {
  readonly conference: ConferenceRow;
  readonly participants: readonly ParticipantRow[];
}

/**
 * Reads stored calls. Refuses to read while changes wait to be written to the database, so that no caller sees an
 * outdated state.
 * @throws DatabaseUnavailable
 */
export class CallArchive {
  constructor(
    private readonly calls: Calls,
    private readonly conferences: Pick<Conferences, 'unfinished' | 'find'>,
    private readonly written: { readonly isUpToDate: boolean },
  ) {}

  /** Returns the call alone. For a call that has legs, includes the time when the first leg was created. */
  async find(callId: string): Promise<CallRow | null> {
    this.#requireUpToDate();
    return this.calls.find(callId);
  }

  async whole(callId: string): Promise<StoredCall | null> {
    const call = await this.find(callId);
    return call && ((await this.#withAll([call]))[0] ?? null);
  }

  /** Calls on the engine that have not ended, or have legs that have not ended. */
  async unfinished(engineId: string): Promise<readonly StoredCall[]> {
    this.#requireUpToDate();
    return this.#withAll(await this.calls.unfinished(engineId));
  }

  /** Conferences on the engine that still have participants. */
  async unfinishedConferences(engineId: string): Promise<readonly StoredConference[]> {
    this.#requireUpToDate();
    return this.conferences.unfinished(engineId);
  }

  async conference(conferenceId: string): Promise<ConferenceRow | null> {
    this.#requireUpToDate();
    return this.conferences.find(conferenceId);
  }

  /** Calls on the engine that no process has originated yet. */
  async unplaced(engineId: string): Promise<readonly string[]> {
    this.#requireUpToDate();
    return this.calls.unplaced(engineId);
  }

  #requireUpToDate(): void {
    if (!this.written.isUpToDate) throw new DatabaseUnavailable('call changes are still waiting to be written');
  }

  async #withAll(rows: readonly CallRow[]): Promise<StoredCall[]> {
    const ids = rows.map(({ id }) => id);
    const [legs, recordings, transfers] = await Promise.all([
      this.calls.legsOf(ids),
      this.calls.recordingsOf(ids),
      this.calls.transfersOf(ids),
    ]);
    const [legsOf, recordingsOf, transfersOf] = [byCall(legs), byCall(recordings), byCall(transfers)];
    return rows.map((call) => ({
      call,
      legs: legsOf.get(call.id) ?? [],
      recordings: recordingsOf.get(call.id) ?? [],
      transfers: transfersOf.get(call.id) ?? [],
    }));
  }
}

/** Groups rows by their call. */
export function byCall<Row extends { readonly call_id: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const group = grouped.get(row.call_id);
    if (group) group.push(row);
    else grouped.set(row.call_id, [row]);
  }
  return grouped;
}
