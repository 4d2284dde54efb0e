import { CALL_STATUSES, isFinal } from '../model/call/call.js';
import { deliveriesOf } from './outbox.js';
import type { CallRow, ConferenceRow, LegRow, RecordingRow, TransferRow } from './rows.js';

/** Columns that an update of a call writes; the others are set once, on insert. */
const CALL_CHANGES: readonly (keyof CallRow)[] = [
  'epoch',
  'status',
  'customer_number',
  'line_number',
  'caller_id_number',
  'caller_id_name',
  'queue_id',
  'served_queue_id',
  'agent',
  'callflow_id',
  'conference_id',
  'on_hold',
  'muted',
  'recording',
  'recording_available',
  'disposition',
  'hangup_q850',
  'hangup_sip_code',
  'hangup_text',
  'queued_seconds',
  'metadata',
  'webhook_url',
  'program',
  'options',
  'last_sequence',
  'originating_at',
  'ringing_at',
  'answered_at',
  'ended_at',
];

const LEG_CHANGES: readonly (keyof LegRow)[] = [
  'role',
  'endpoint',
  'number',
  'billable',
  'status',
  'on_hold',
  'holds',
  'muted',
  'ringing_at',
  'answered_at',
  'ended_at',
  'hangup_q850',
  'hangup_sip_code',
  'hangup_text',
  'quality',
];

/** Legal holds and deletions are not written with the call. */
const RECORDING_CHANGES: readonly (keyof RecordingRow)[] = [
  'status',
  'ended_at',
  'duration_ms',
  'bytes',
  'storage',
  'storage_key',
];

const TRANSFER_CHANGES: readonly (keyof TransferRow)[] = ['status', 'leg_id', 'agent', 'ended_at'];

/** Each is set once: a later or repeated value changes nothing. */
const CONFERENCE_CHANGES: readonly (keyof ConferenceRow)[] = ['ended_at', 'emptied_at'];

const UNFINISHED = CALL_STATUSES.filter((status) => !isFinal(status))
  .map((status) => `'${status}'`)
  .join(', ');

function assign(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ');
}

function assignOnce(columns: readonly string[]): string {
  return columns.map((column) => `${column} = coalesce(known.${column}, excluded.${column})`).join(', ');
}

/** The rows of one member of every effect whose call was written. */
function rowsOf(table: string, member: string): string {
  return `
    SELECT row.* FROM input JOIN written ON written.id = input.call_id
    CROSS JOIN LATERAL jsonb_populate_recordset(NULL::${table}, input.${member}) AS row`;
}

/** The part of the statement that writes the rows of a member: of what an effect has besides the call. */
const WRITE = {
  legs: `written_legs AS (
    INSERT INTO legs AS known ${rowsOf('legs', 'legs')}
    ON CONFLICT (id) DO UPDATE SET ${assign(LEG_CHANGES)}
    WHERE known.call_id = excluded.call_id AND (known.status <> 'ended' OR excluded.status = 'ended')
  )`,
  recordings: `written_recordings AS (
    INSERT INTO recordings AS known ${rowsOf('recordings', 'recordings')}
    ON CONFLICT (id) DO UPDATE SET ${assign(RECORDING_CHANGES)}
    WHERE known.call_id = excluded.call_id AND known.status IN ('recording', 'paused', 'held', 'stopped')
  )`,
  transfers: `written_transfers AS (
    INSERT INTO transfers AS known ${rowsOf('transfers', 'transfers')}
    ON CONFLICT (id) DO UPDATE SET ${assign(TRANSFER_CHANGES)}
    WHERE known.call_id = excluded.call_id AND known.ended_at IS NULL
  )`,
  // Several calls of the batch may contain the same conference: the furthest state counts.
  conferences: `written_conferences AS (
    INSERT INTO conferences AS known
    SELECT DISTINCT ON (reported.id) reported.* FROM (${rowsOf('conferences', 'conferences')}) AS reported
    ORDER BY reported.id, reported.emptied_at, reported.ended_at
    ON CONFLICT (id) DO UPDATE SET ${assignOnce(CONFERENCE_CHANGES)}
    WHERE known.engine_id = excluded.engine_id
  )`,
  participants: `written_participants AS (
    INSERT INTO conference_participants AS known ${rowsOf('conference_participants', 'participants')}
    ON CONFLICT (id) DO UPDATE SET left_at = excluded.left_at
    WHERE known.call_id = excluded.call_id AND known.left_at IS NULL
  )`,
  charges: `written_charges AS (
    INSERT INTO charges ${rowsOf('charges', 'charges')} ON CONFLICT (leg_id) DO NOTHING
  )`,
  voicemails: `written_voicemails AS (
    INSERT INTO voicemails ${rowsOf('voicemails', 'voicemails')} ON CONFLICT (id) DO NOTHING
  )`,
  timeline: `written_timeline AS (
    INSERT INTO call_timeline ${rowsOf('call_timeline', 'timeline')} ON CONFLICT (id) DO NOTHING
  )`,
  events: `written_events AS (
    INSERT INTO events ${rowsOf('events', 'events')} ON CONFLICT (id) DO NOTHING
    RETURNING id, project_id, call_id, sequence, type, sandbox
  )`,
};

type Member = keyof typeof WRITE;
const MEMBERS = Object.keys(WRITE) as Member[];

export type WriteOutcome = 'written' | 'fenced' | 'final' | 'stale';

export interface WriteResult {
  readonly outcomes: readonly { readonly call_id: string; readonly outcome: WriteOutcome }[];
  /** Lanes with new deliveries. */
  readonly lanes: readonly string[];
}

/**
 * Writes the effects of many calls in one statement. `$1` is an array of `{engine_id, epoch,
 * call_id, call}` with the rows of each member, and with each call once. A null epoch is for a new
 * call without an owner yet: it takes the engine's current epoch, and a repeat does nothing.
 * Returns one {@link WriteResult}.
 *
 * The share lock on the engines' rows is the fence: a process that takes an engine over waits for
 * this statement, and this statement sees the epoch of a process that took over before it.
 */
const writing = (members: readonly Member[]): string => `
  WITH input AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS effect(
      engine_id uuid, epoch bigint, call_id uuid, call jsonb, ${members.map((member) => `${member} jsonb`).join(', ')})
  ), owned AS MATERIALIZED (
    SELECT id, epoch FROM engines WHERE id IN (SELECT engine_id FROM input) FOR SHARE
  ), written AS (
    INSERT INTO calls AS known
    SELECT row.*
    FROM input
    JOIN owned ON owned.id = input.engine_id AND owned.epoch = coalesce(input.epoch, owned.epoch)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::calls,
      CASE WHEN input.epoch IS NULL THEN input.call || jsonb_build_object('epoch', owned.epoch) ELSE input.call END) AS row
    WHERE input.epoch IS NOT NULL OR (SELECT placed.id FROM calls AS placed WHERE placed.id = input.call_id) IS NULL
    ON CONFLICT (id) DO UPDATE SET ${assign(CALL_CHANGES)}
    WHERE known.engine_id = excluded.engine_id
      AND (known.status = excluded.status OR known.status IN (${UNFINISHED}))
      AND known.last_sequence <= excluded.last_sequence
    RETURNING known.id, known.webhook_url
  ), ${members.map((member) => WRITE[member]).join(', ')}, deliveries AS (${deliveriesOf('written')})
  SELECT
    (SELECT json_agg(json_build_object('call_id', input.call_id, 'outcome',
       CASE
         WHEN owned.id IS NULL THEN 'fenced'
         WHEN written.id IS NOT NULL THEN 'written'
         ELSE (
           SELECT CASE
             WHEN input.epoch IS NULL THEN 'written'
             WHEN known.engine_id <> input.engine_id THEN 'fenced'
             WHEN known.status IN (${UNFINISHED}) OR known.status = input.call->>'status' THEN 'stale'
             ELSE 'final'
           END
           FROM calls AS known WHERE known.id = input.call_id)
       END))
     FROM input
     LEFT JOIN owned ON owned.id = input.engine_id AND owned.epoch = coalesce(input.epoch, owned.epoch)
     LEFT JOIN written ON written.id = input.call_id) AS outcomes,
    (SELECT coalesce(array_agg(DISTINCT lane), '{}') FROM deliveries) AS lanes`;

/** The rows of an effect, by member; an absent member has none. */
export type EffectMembers = Readonly<Partial<Record<Member, readonly object[] | undefined>>>;

interface Statement {
  readonly members: ReadonlySet<Member>;
  readonly sql: string;
}

function statementOf(...members: readonly Member[]): Statement {
  return { members: new Set(members), sql: writing(members) };
}

const EVERYTHING = statementOf(...MEMBERS);
/**
 * What live calls change, what calls that end add, and the rest. A table in a statement costs about as much as two of its
 * rows, even if no row is written. There are few statements, because each connection keeps the plan of each.
 */
const STATEMENTS: readonly Statement[] = [
  statementOf('legs', 'timeline', 'events'),
  statementOf('legs', 'charges', 'timeline', 'events'),
  EVERYTHING,
];

/** The statement that writes these effects, with as few other tables as possible. */
export function statementFor(effects: readonly EffectMembers[]): string {
  const present = MEMBERS.filter((member) => effects.some((effect) => (effect[member]?.length ?? 0) > 0));
  const fitting = STATEMENTS.find(({ members }) => present.every((member) => members.has(member)));
  return (fitting ?? EVERYTHING).sql;
}
