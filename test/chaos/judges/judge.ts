import { setTimeout as pause } from 'node:timers/promises';
import type { CallRow, ChargeRow, EventRow, LegRow, RecordingRow } from '../../../core/data/rows.js';
import type { Conversation } from '../phones/conversation.js';
import { judgeAudio } from './judge-audio.js';
import { judgeCall } from './judge-call.js';
import { judgeCharges } from './judge-charges.js';
import { judgeRecordings, type PlayableRecording } from './judge-recordings.js';
import { judgeWebhooks } from './judge-webhooks.js';
import { type Loss, type LossKind, type CallRecord } from './loss.js';
import type { Evidence } from './evidence.js';
import { historyOf } from './history.js';

export interface Verdict {
  readonly losses: readonly Loss[];
  /** The times of adoptions, by the index of the call. */
  readonly adoptions: ReadonlyMap<number, readonly Date[]>;
  readonly recordings: readonly PlayableRecording[];
  /** The histories of the calls with losses. */
  readonly histories: readonly string[];
}

const MAX_HISTORIES = 12;
const SETTLE_LIMIT_MS = 150_000;
const POLL_MS = 250;

/**
 * Waits until all calls and deliveries are finished, then compares what the phones saw, what the webhooks reported and
 * what the database contains.
 */
export async function judge(evidence: Evidence): Promise<Verdict> {
  const { processes, carrier, conversations } = evidence;
  const unsettled = await settle(evidence);
  const all = await read(evidence);
  const losses: Loss[] = [
    ...unsettled,
    ...processes.flatMap(({ faults }) => faults).map((text): Loss => ({ kind: 'crash', index: null, text })),
    ...carrier.faults.map((text): Loss => ({ kind: 'rung twice', index: null, text })),
    ...(await evidence.describeChannels()).map((text): Loss => ({ kind: 'left behind', index: null, text })),
  ];
  const expectedIds = new Set<string>();
  const recordings: PlayableRecording[] = [];
  const adoptions = new Map<number, readonly Date[]>();
  for (const conversation of conversations) {
    const own = all.filter((record) => belongsTo(record, conversation));
    for (const { call } of own) expectedIds.add(call.id);
    const loss = (kind: LossKind, text: string): void =>
      void losses.push({ kind, index: conversation.plan.index, text });
    for (const fault of conversation.faults) loss('not controllable', fault);
    if (conversation.refused !== null) loss('call lost', `the API refused it: ${conversation.refused}`);
    if (own.length > 1) loss('rung twice', `${own.length} calls were created for it`);
    judgeCall(conversation, own[0] ?? null, evidence, loss);
    if (own[0]) adoptions.set(conversation.plan.index, own[0].adoptedAt);
    if (own[0]) judgeCharges(conversation, own[0], loss);
    judgeAudio(conversation, evidence, loss);
    if (own[0]) recordings.push(...judgeRecordings(conversation, own[0], evidence, loss));
  }
  for (const { call } of all) {
    if (!expectedIds.has(call.id))
      losses.push({ kind: 'call lost', index: null, text: `${call.id} is a call that no client and no caller made` });
  }
  judgeWebhooks(evidence, all, losses);
  return { losses, adoptions, recordings, histories: await historiesOf(evidence, losses, all) };
}

function belongsTo({ call }: CallRecord, { plan }: Conversation): boolean {
  return plan.line === '' ? call.metadata.chaos === String(plan.index) : call.line_number === plan.line;
}

/** Waits until all calls and deliveries are finished. @returns those that are still unfinished at the limit */
export async function settle({ db }: Pick<Evidence, 'db'>): Promise<Loss[]> {
  const deadline = Date.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const unfinished = await db.query<{ what: string; id: string; status: string }>(
      `SELECT 'call' AS what, id, status FROM calls WHERE ended_at IS NULL
       UNION ALL SELECT 'leg', id, status FROM legs WHERE status <> 'ended'
       UNION ALL SELECT 'recording', id, status FROM recordings WHERE status IN ('recording', 'paused', 'stopped')
       UNION ALL SELECT 'delivery', id, status FROM webhook_deliveries WHERE status = 'pending'`,
    );
    if (unfinished.length === 0) return [];
    if (Date.now() > deadline) {
      return unfinished.map(({ what, id, status }) => ({
        kind: what === 'delivery' ? 'webhooks' : 'left behind',
        index: null,
        text: `${what} ${id} is ${status} long after the end`,
      }));
    }
    await pause(POLL_MS);
  }
}

async function read({ db }: Evidence): Promise<CallRecord[]> {
  const [calls, legs, charges, events, recordings, adoptions] = await Promise.all([
    db.query<CallRow>('SELECT * FROM calls ORDER BY created_at'),
    db.query<LegRow>('SELECT * FROM legs ORDER BY created_at'),
    db.query<ChargeRow>('SELECT * FROM charges'),
    db.query<EventRow>('SELECT * FROM events WHERE call_id IS NOT NULL ORDER BY call_id, sequence'),
    db.query<RecordingRow>('SELECT * FROM recordings'),
    db.query<{ call_id: string; at: Date }>(
      `SELECT call_id, at FROM call_timeline WHERE type = 'call.adopted' ORDER BY at`,
    ),
  ]);
  return calls.map((call) => ({
    call,
    legs: legs.filter(({ call_id }) => call_id === call.id),
    charges: charges.filter(({ call_id }) => call_id === call.id),
    events: events.filter(({ call_id }) => call_id === call.id),
    recordings: recordings.filter(({ call_id }) => call_id === call.id),
    adoptedAt: adoptions.filter(({ call_id }) => call_id === call.id).map(({ at }) => at),
  }));
}

async function historiesOf(evidence: Evidence, losses: readonly Loss[], all: readonly CallRecord[]): Promise<string[]> {
  const indexes = new Set(losses.map(({ index }) => index));
  const lost = evidence.conversations.filter(({ plan }) => indexes.has(plan.index)).slice(0, MAX_HISTORIES);
  return Promise.all(
    lost.map((conversation) =>
      historyOf(conversation, all.find((record) => belongsTo(record, conversation))?.call.id ?? '', evidence),
    ),
  );
}
