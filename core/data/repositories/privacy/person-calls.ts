import type { Queryable } from '../../database.js';
import type { CallRow, LegRow, TimelineRow, TransferRow } from '../../rows.js';
import type { FoundCall } from './found-calls.js';

/** Everything that was recorded about a call. */
export interface WholeCall extends FoundCall {
  readonly call: CallRow;
  readonly legs: readonly LegRow[];
  readonly transfers: readonly TransferRow[];
  readonly timeline: readonly TimelineRow[];
  readonly events: readonly { readonly type: string; readonly data: object; readonly created_at: Date }[];
  readonly transcripts: readonly object[];
  readonly voicemails: readonly object[];
}

interface OfCall {
  readonly call_id: string | null;
}

/** The whole of the calls that were found, in their order. */
export async function wholeCalls(on: Queryable, found: readonly FoundCall[]): Promise<WholeCall[]> {
  const ids = [found.map(({ call_id }) => call_id)];
  const rowsOf = <Row extends object>(sql: string): Promise<Row[]> => on.query<Row>(sql, ids);
  const calls = await rowsOf<CallRow>('SELECT * FROM calls WHERE id = ANY ($1::uuid[])');
  const legs = await rowsOf<LegRow>('SELECT * FROM legs WHERE call_id = ANY ($1::uuid[]) ORDER BY id');
  const transfers = await rowsOf<TransferRow>('SELECT * FROM transfers WHERE call_id = ANY ($1::uuid[]) ORDER BY id');
  const timeline = await rowsOf<TimelineRow>(
    'SELECT * FROM call_timeline WHERE call_id = ANY ($1::uuid[]) ORDER BY at, id',
  );
  const events = await rowsOf<WholeCall['events'][number] & OfCall>(
    'SELECT call_id, type, data, created_at FROM events WHERE call_id = ANY ($1::uuid[]) ORDER BY id',
  );
  const transcripts = await rowsOf<OfCall>(
    `SELECT recording_id, call_id, status, language, turns, created_at FROM transcripts
     WHERE call_id = ANY ($1::uuid[]) ORDER BY recording_id`,
  );
  const voicemails = await rowsOf<OfCall>(
    `SELECT id, call_id, number, from_number, duration_ms, transcription_text, created_at FROM voicemails
     WHERE call_id = ANY ($1::uuid[]) ORDER BY id`,
  );
  return found.flatMap((each) => {
    const call = calls.find(({ id }) => id === each.call_id);
    const of = <Row extends OfCall>(rows: readonly Row[]): Row[] =>
      rows.filter(({ call_id }) => call_id === each.call_id);
    return call
      ? [
          {
            ...each,
            ...{ call, legs: of(legs), transfers: of(transfers), timeline: of(timeline), events: of(events) },
            ...{ transcripts: of(transcripts), voicemails: of(voicemails) },
          },
        ]
      : [];
  });
}
