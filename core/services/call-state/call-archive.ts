import { DatabaseUnavailable } from '../../data/errors.js';
import type { Calls } from '../../data/repositories/calls/calls.js';
import type { Conferences } from '../../data/repositories/calls/conferences.js';
import type { CallRow, ConferenceRow, LegRow, ParticipantRow, RecordingRow, TransferRow } from '../../data/rows.js';

/** A call with all that belongs to it. */
export interface StoredCall {
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
  readonly recordings: readonly RecordingRow[];
  readonly transfers: readonly TransferRow[];
}

/** A conference with all who are or were in it. */
export interface StoredConference {
  readonly conference: ConferenceRow;
  readonly participants: readonly ParticipantRow[];
}

/**
 * The calls as they were written down. While changes are still on their way into the database nothing is read: a call must not be taken for
 * what it was before them. @throws DatabaseUnavailable
 */
export class CallArchive {
  constructor(
    private readonly calls: Calls,
    private readonly conferences: Pick<Conferences, 'unfinished' | 'find'>,
    private readonly written: { readonly isUpToDate: boolean },
  ) {}

  /** The call alone. One that has legs also tells when its first was rung. */
  async find(callId: string): Promise<CallRow | null> {
    this.#requireUpToDate();
    return this.calls.find(callId);
  }

  async whole(callId: string): Promise<StoredCall | null> {
    const call = await this.find(callId);
    return call && ((await this.#withAll([call]))[0] ?? null);
  }

  /** Calls of the engine that are not over, or have legs that are not. */
  async unfinished(engineId: string): Promise<readonly StoredCall[]> {
    this.#requireUpToDate();
    return this.#withAll(await this.calls.unfinished(engineId));
  }

  /** Conferences of the engine in which there still is somebody. */
  async unfinishedConferences(engineId: string): Promise<readonly StoredConference[]> {
    this.#requireUpToDate();
    return this.conferences.unfinished(engineId);
  }

  async conference(conferenceId: string): Promise<ConferenceRow | null> {
    this.#requireUpToDate();
    return this.conferences.find(conferenceId);
  }

  /** Calls of the engine that nobody has begun. */
  async unplaced(engineId: string): Promise<readonly string[]> {
    this.#requireUpToDate();
    return this.calls.unplaced(engineId);
  }

  #requireUpToDate(): void {
    if (!this.written.isUpToDate) throw new DatabaseUnavailable('changes of calls are on their way into the database');
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

/** Rows that belong to calls, by the call. */
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
