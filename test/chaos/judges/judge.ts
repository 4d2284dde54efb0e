import { setTimeout as pause } from 'node:timers/promises';
import type { CallRow, ChargeRow, EventRow, LegRow, RecordingRow } from '../../../core/data/rows.js';
import type { Conversation } from '../phones/conversation.js';
import { judgeAudio } from './judge-audio.js';
import { judgeCall } from './judge-call.js';
import { judgeCharges } from './judge-charges.js';
import { judgeRecordings, type Recorded } from './judge-recordings.js';
import { judgeWebhooks } from './judge-webhooks.js';
import { type Loss, type LossKind, type Written } from './loss.js';
import type { Evidence } from './evidence.js';
import { storyOf } from './story.js';

export interface Verdict {
  readonly losses: readonly Loss[];
  /** By the index of the call. */
  readonly adoptions: ReadonlyMap<number, readonly Date[]>;
  readonly recordings: readonly Recorded[];
  /** What happened in each call of which something was lost. */
  readonly stories: readonly string[];
}

const MOST_STORIES = 12;
const SETTLES_WITHIN_MS = 150_000;
const LOOK_EVERY_MS = 250;

/** Waits until nothing goes on any more, then holds against each other what the phones saw, what was told and what is written down. */
export async function judge(evidence: Evidence): Promise<Verdict> {
  const { processes, carrier, conversations } = evidence;
  const unsettled = await settle(evidence);
  const all = await read(evidence);
  const losses: Loss[] = [
    ...unsettled,
    ...processes.flatMap(({ faults }) => faults).map((text): Loss => ({ kind: 'crash', index: null, text })),
    ...carrier.faults.map((text): Loss => ({ kind: 'rung twice', index: null, text })),
    ...(await evidence.held()).map((text): Loss => ({ kind: 'left behind', index: null, text })),
  ];
  const claimed = new Set<string>();
  const recordings: Recorded[] = [];
  const adoptions = new Map<number, readonly Date[]>();
  for (const talk of conversations) {
    const own = all.filter((written) => isOf(written, talk));
    for (const { call } of own) claimed.add(call.id);
    const loss = (kind: LossKind, text: string): void => void losses.push({ kind, index: talk.plan.index, text });
    for (const fault of talk.faults) loss('not controllable', fault);
    if (talk.refused !== null) loss('call lost', `the API refused it: ${talk.refused}`);
    if (own.length > 1) loss('rung twice', `${own.length} calls were made of it`);
    judgeCall(talk, own[0] ?? null, evidence, loss);
    if (own[0]) adoptions.set(talk.plan.index, own[0].adoptedAt);
    if (own[0]) judgeCharges(talk, own[0], loss);
    judgeAudio(talk, evidence, loss);
    if (own[0]) recordings.push(...judgeRecordings(talk, own[0], evidence, loss));
  }
  for (const { call } of all) {
    if (!claimed.has(call.id))
      losses.push({ kind: 'call lost', index: null, text: `${call.id} is a call that nobody made` });
  }
  judgeWebhooks(evidence, all, losses);
  return { losses, adoptions, recordings, stories: await storiesOf(evidence, losses, all) };
}

function isOf({ call }: Written, { plan }: Conversation): boolean {
  return plan.line === '' ? call.metadata.chaos === String(plan.index) : call.line_number === plan.line;
}

/** Resolves when no call and no delivery is unfinished, or says what still is after a while. */
export async function settle({ db }: Pick<Evidence, 'db'>): Promise<Loss[]> {
  const deadline = Date.now() + SETTLES_WITHIN_MS;
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
    await pause(LOOK_EVERY_MS);
  }
}

async function read({ db }: Evidence): Promise<Written[]> {
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

async function storiesOf(evidence: Evidence, losses: readonly Loss[], all: readonly Written[]): Promise<string[]> {
  const indexes = new Set(losses.map(({ index }) => index));
  const lost = evidence.conversations.filter(({ plan }) => indexes.has(plan.index)).slice(0, MOST_STORIES);
  return Promise.all(
    lost.map((talk) => storyOf(talk, all.find((written) => isOf(written, talk))?.call.id ?? '', evidence)),
  );
}
