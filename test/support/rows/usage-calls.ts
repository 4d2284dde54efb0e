import type { CallEffect } from '../../../core/data/call-writer.js';
import type { CallRow } from '../../../core/data/rows.js';
import { CALL_KINDS, CALL_MOVES, type CallStatus } from '../../../core/model/call/call.js';
import { USAGE_GROUPS } from '../../../core/model/usage.js';
import type { UsageQuery } from '../../../core/services/usage/read.js';
import type { Random } from '../../chaos/random.js';
import { callRow, chargeOf, legRow, type Ground } from './rows.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Midnight in Riyadh. */
export const EPOCH_MS = Date.parse('2026-02-26T21:00:00.000Z');
const DAYS = 12;

/** A random time: often on a boundary of an hour or a day, a millisecond off it, or half an hour from it. */
export function randomTime(random: Random): Date {
  const grain = random.pick([DAY_MS, HOUR_MS, HOUR_MS / 2, 1, 1]);
  const at = random.between(0, (DAYS * DAY_MS) / grain) * grain;
  return new Date(EPOCH_MS + at + (grain === 1 ? 0 : random.pick([-1, 0, 0, 1])));
}

export function randomCall(random: Random, grounds: readonly Ground[], queues: readonly string[]): CallRow {
  const kind = random.pick(CALL_KINDS);
  const direction = kind === 'outbound' || kind === 'callback' ? 'outbound' : kind === 'inbound' ? 'inbound' : null;
  return callRow(random.pick(grounds), {
    kind,
    direction: direction ?? random.pick(['inbound', 'outbound']),
    customer_number: random.pick(NUMBERS),
    sandbox: random.chance(0.3),
    // Only queues of callbacks count, even if other calls have one.
    queue_id: random.chance(0.5) ? random.pick(queues) : null,
    created_at: randomTime(random),
  });
}

/** The call's next step; null if there is none. An ended call may be written again, with a different end. */
export function randomStep(random: Random, call: CallRow): CallRow | null {
  const moves = CALL_MOVES[call.status];
  const last_sequence = call.last_sequence + 1;
  if (moves.length === 0) {
    if (!random.chance(0.3)) return null;
    return {
      ...call,
      last_sequence,
      hangup_text: 'again',
      ...(random.chance(0.5) && { ended_at: talked(random, call) }),
    };
  }
  const status: CallStatus = random.pick(moves);
  const changed = { ...call, status, last_sequence };
  if (status === 'answered')
    return { ...changed, answered_at: new Date(call.created_at.getTime() + random.between(0, 60_000)) };
  if (moves.length === 1) return { ...changed, ended_at: talked(random, call) };
  return status === 'ringing' ? changed : { ...changed, ended_at: talked(random, call) };
}

const NUMBERS = ['+966501234517', '+14155550100', '+12125550100', 'sip:front@example.com'];

/** The leg and the charge of an ended call. Both have the call's id, so a repeated write keeps the first charge. */
export function chargesOf(call: CallRow): Partial<CallEffect> {
  const { id, status, answered_at, ended_at } = call;
  if (status !== 'ended' || answered_at === null || ended_at === null) return {};
  const leg = legRow(id, { id, number: call.customer_number, status: 'ended', answered_at, ended_at });
  const seconds = Math.max(0, Math.round((ended_at.getTime() - answered_at.getTime()) / 1000));
  return { legs: [leg], charges: [chargeOf(leg, call, { id, started_at: answered_at, seconds })] };
}

/** An end after half seconds, after no time, or before the answer, as by a clock that was set back. */
function talked(random: Random, { answered_at, created_at }: CallRow): Date {
  const ms = random.pick([-1_500, 0, 499, 500, 1_500, 60_000, random.between(0, 7_200_000)]);
  return new Date((answered_at ?? created_at).getTime() + ms);
}

export function randomQuery(random: Random, queues: readonly string[]): UsageQuery {
  const groupBy = random.chance(0.2) ? undefined : random.pick(USAGE_GROUPS);
  const needsPeriod = groupBy === 'day' || groupBy === 'hour';
  const [one, other] = [randomTime(random), randomTime(random)];
  // Sometimes a single millisecond, or a part of an hour.
  const end = random.chance(0.2)
    ? new Date(one.getTime() + random.pick([0, 1, 59_000, 1_799_999, 1_800_000, 3_599_999]))
    : other;
  const [from, to] = one <= end ? [one, end] : [end, one];
  return {
    from: needsPeriod || random.chance(0.7) ? from : undefined,
    to: needsPeriod || random.chance(0.7) ? to : undefined,
    queueId: random.chance(0.2) ? random.pick([...queues, 'nobody']) : undefined,
    groupBy,
  };
}
