import type { CallRow, LegRow } from '../../../core/data/rows.js';
import type { CallStatus, Disposition } from '../../../core/model/call/call.js';
import type { Conversation } from '../phones/conversation.js';
import { RING_SECONDS } from '../phones/conversation.js';
import type { LossKind, CallRecord } from './loss.js';
import type { LegFacts } from '../phones/leg.js';
import type { Evidence, Outage } from './evidence.js';

export type ReportLoss = (kind: LossKind, text: string) => void;

interface End {
  readonly status: CallStatus;
  readonly disposition: Disposition;
  readonly q850: number | null;
}

const END_BY_STATUS: Readonly<Record<number, End>> = {
  486: { status: 'missed', disposition: 'busy', q850: 17 },
  603: { status: 'missed', disposition: 'rejected', q850: 21 },
  404: { status: 'failed', disposition: 'invalid_number', q850: 1 },
  503: { status: 'failed', disposition: 'congestion', q850: 34 },
};
const ANSWERED: End = { status: 'ended', disposition: 'answered', q850: 16 };
const UNCONNECTED: End = { ...ANSWERED, q850: null };
const CANCELLED: End = { status: 'cancelled', disposition: 'cancelled', q850: null };
const UNANSWERED: End = { status: 'missed', disposition: 'no_answer', q850: null };
/** Q.850 27, destination out of order: the engine died. */
const CRASHED: End = { ...ANSWERED, q850: 27 };
const CRASHED_IN_SETUP: End = { status: 'failed', disposition: 'failed', q850: 27 };

/** The tolerance between a duration and what the phone saw. */
const TOLERANCE_MS = 1_000;
/** Two events at different ends within this time have no defined order. */
const SAME_MOMENT_MS = 1_000;
/** A placed call whose phone could not be rung within this time fails. */
const MAX_PLACING_MS = 15_000;
/** The time for which a caller waits while no process is available. */
const CALLER_WAIT_MS = 15_000;
const ADOPTION_LIMIT_MS = 60_000;
/** From the creation of a leg's row to its dial, on a busy machine. */
const DIAL_LIMIT_MS = 1_000;

/** Compares the call's rows with what its phones saw. */
export function judgeCall(
  conversation: Conversation,
  record: CallRecord | null,
  evidence: Evidence,
  loss: ReportLoss,
): void {
  const outages = evidence.outagesOf(conversation);
  for (const leg of [conversation.customer, conversation.other])
    if (leg) judgeEnd(conversation, leg.facts, record, outages, loss);
  judgeRings(conversation, record, evidence, loss);
  if (!record) {
    if (conversation.refused === null && !wasRejected(conversation, outages)) loss('call lost', 'it has no row');
    return;
  }
  const { call } = record;
  const expected = expectedEnd(conversation, record);
  const actual = `${call.status} ${String(call.disposition)} (${String(call.hangup_q850)})`;
  if (expected === null) {
    const waited = (call.ended_at?.getTime() ?? 0) - call.created_at.getTime();
    const isLegal = ['failed', 'cancelled', 'timeout'].includes(call.status);
    if (!isLegal) loss('wrong end', `${actual}, and no phone rang`);
    else if (call.status === 'failed' && waited < MAX_PLACING_MS && !wasDownAround(outages, call.created_at)) {
      loss('call lost', `${actual} after ${waited} ms, and no phone rang`);
    }
    return;
  }
  // The engine's detail record of a call that ended unobserved does not say whether its phone rang.
  const isUnseenRinging = expected === UNANSWERED && call.status === 'timeout' && call.ringing_at === null;
  const isWrong = call.disposition !== expected.disposition || (call.status !== expected.status && !isUnseenRinging);
  if (isWrong || (expected.q850 !== null && call.hangup_q850 !== expected.q850)) {
    loss(
      'wrong end',
      `${actual} instead of ${expected.status} ${expected.disposition} (${String(expected.q850 ?? 'any')})`,
    );
  }
  judgeDuration(conversation, record, loss);
  judgeAdoption(conversation, record, outages, loss);
}

/** The end that follows from what the phones saw; null: no phone rang. */
function expectedEnd(conversation: Conversation, { call }: CallRecord): End | null {
  const facts = conversation.customer?.facts;
  if (!facts) return null;
  if (facts.endedBy === 'crash') return facts.confirmedAt === null ? CRASHED_IN_SETUP : CRASHED;
  // If the second party could not be reached, a message tells the customer why.
  if (facts.confirmedAt !== null) {
    const wasAlone = conversation.plan.other !== '' && conversation.other?.facts.confirmedAt == null;
    return wasAlone ? UNCONNECTED : ANSWERED;
  }
  if (facts.direction === 'incoming') {
    // The ring timeout may have ended the call before the refusal arrived.
    const isLate = (facts.endConfirmedAt ?? Infinity) - (facts.endedAt ?? 0) > SAME_MOMENT_MS;
    if (facts.refused !== null && isLate && call.disposition === 'no_answer') return UNANSWERED;
    if (facts.refused !== null) return END_BY_STATUS[facts.refused] ?? null;
    const hasRungOut = (facts.endedAt ?? 0) - facts.startedAt > RING_SECONDS * 1000 - SAME_MOMENT_MS;
    // A request to hang up that is sent while the engine is unreachable may come too late.
    return conversation.apiHangupAt === null || (call.disposition === 'no_answer' && hasRungOut)
      ? UNANSWERED
      : CANCELLED;
  }
  // The caller gave up, or received the second party's refusal.
  const refused = conversation.other?.facts.refused;
  if (refused != null && !facts.cancelled) return END_BY_STATUS[refused] ?? null;
  return call.status === 'cancelled' && conversation.apiHangupAt !== null ? CANCELLED : UNANSWERED;
}

/** An answered leg may only end, and a phone may only stop ringing, for a known reason. */
function judgeEnd(
  conversation: Conversation,
  facts: LegFacts,
  record: CallRecord | null,
  outages: readonly Outage[],
  loss: ReportLoss,
): void {
  if (facts.endedAt === null) {
    loss('left behind', `${facts.user} still has a call`);
    return;
  }
  if (facts.endedBy !== 'engine') return;
  const { customer, other, plan } = conversation;
  const before = (at: number | null | undefined): boolean => at != null && at <= (facts.endedAt ?? 0) + SAME_MOMENT_MS;
  const partner = facts === customer?.facts ? other?.facts : customer?.facts;
  // Legal reasons: the other leg ended, the API requested the hangup, or the program finished.
  // If the application died just before a dial, the second party may or may not ring. It is not dialled again, and the
  // leg ends after a time limit.
  const mayBeUndialled =
    !other && record?.legs.some((leg) => leg.role === 'agent' && isUndialled(leg, outages)) === true;
  const wasEndedFor =
    mayBeUndialled ||
    before(conversation.apiHangupAt) ||
    (partner?.endedBy === 'phone' && before(partner.endedAt)) ||
    (plan.kind === 'play' && facts === customer?.facts);
  if (wasEndedFor) return;
  if (facts.confirmedAt !== null) {
    loss('dropped', `${facts.user} was hung up during the call`);
    return;
  }
  const rangMs = facts.endedAt - facts.earliestStartAt;
  if (facts.direction === 'incoming' && rangMs < RING_SECONDS * 1000 - SAME_MOMENT_MS) {
    loss('dropped', `${facts.user} stopped ringing after ${rangMs} ms`);
  }
}

/**
 * Whether the dial of the leg may have been lost, because the application died before it or because no traffic passed,
 * and no response followed.
 */
function isUndialled(leg: LegRow, outages: readonly Outage[]): boolean {
  const since = leg.created_at.getTime();
  return (
    leg.ringing_at === null &&
    outages.some(({ at, readyAt }) => at - since < DIAL_LIMIT_MS && since < (readyAt ?? Infinity))
  );
}

function judgeRings(
  conversation: Conversation,
  record: CallRecord | null,
  { carrier }: Evidence,
  loss: ReportLoss,
): void {
  for (const user of [conversation.plan.customer, conversation.plan.other]) {
    const rings = carrier.legsOf(user).filter(({ facts }) => facts.direction === 'incoming').length;
    if (rings > 1) loss('rung twice', `${user} was rung ${rings} times`);
  }
  if (record?.call.ringing_at != null && !conversation.customer)
    loss('wrong end', 'it is recorded as ringing, and no phone rang');
}

function judgeDuration(conversation: Conversation, { call }: CallRecord, loss: ReportLoss): void {
  const facts = conversation.customer?.facts;
  if (facts?.confirmedAt == null || facts.endedAt === null) return;
  if (call.answered_at === null || call.ended_at === null) return;
  const [shortest, longest] = talkTimesOf(facts);
  const recorded = call.ended_at.getTime() - call.answered_at.getTime();
  if (recorded < shortest - TOLERANCE_MS || recorded > longest + TOLERANCE_MS) {
    loss('wrong duration', `${recorded} ms instead of ${shortest === longest ? '' : `${shortest} to `}${longest} ms`);
  }
}

/**
 * The earliest and the latest time at which the leg may have ended: as the side that ended it reports, and as the other
 * side received it.
 */
export function endTimesOf({ endedAt, earliestEndAt, endConfirmedAt }: LegFacts): readonly [number, number] {
  const at = endedAt ?? 0;
  return [earliestEndAt ?? at, Math.max(at, endConfirmedAt ?? at)];
}

/** The shortest and the longest possible talk time of the phone, in milliseconds. */
export function talkTimesOf(facts: LegFacts): readonly [number, number] {
  const [earliest, latest] = endTimesOf(facts);
  const from = facts.confirmedAt ?? earliest;
  return [Math.max(0, earliest - from), latest - from];
}

/** A call that was live when the process was killed must be adopted in time. */
function judgeAdoption(
  conversation: Conversation,
  { adoptedAt, call }: CallRecord,
  all: readonly Outage[],
  loss: ReportLoss,
): void {
  const outages = all.filter(({ what }) => what === 'process');
  const endedAt = conversation.customer?.facts.endedAt ?? call.ended_at?.getTime() ?? 0;
  for (const [index, { at }] of outages.entries()) {
    // If the next process was killed before this limit, it is not to blame.
    const isInterrupted = (outages[index + 1]?.at ?? Infinity) < at + ADOPTION_LIMIT_MS;
    if (createdAtOf(call) > at || endedAt < at + ADOPTION_LIMIT_MS || isInterrupted) continue;
    const first = adoptedAt.find((adopted) => adopted.getTime() > at);
    if (!first || first.getTime() > at + ADOPTION_LIMIT_MS)
      loss('not adopted', 'no process adopted it within a minute');
  }
}

/** The time at which the application created the call's id (UUIDv7); the caller may have rung before. */
function createdAtOf({ id }: CallRow): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/** For each outage that the call survived: the time until its adoption, in milliseconds. */
export function adoptionTimes(
  conversation: Conversation,
  adoptedAt: readonly Date[],
  all: readonly Outage[],
): number[] {
  const outages = all.filter(({ what }) => what === 'process');
  const { customer } = conversation;
  if (!customer) return [];
  return outages.flatMap(({ at }, index) => {
    const next = outages[index + 1]?.at ?? Infinity;
    const first = adoptedAt.find((adopted) => adopted.getTime() > at);
    const lived = customer.facts.startedAt < at && (customer.facts.endedAt ?? 0) > at;
    return lived && first && first.getTime() < next ? [first.getTime() - at] : [];
  });
}

/**
 * Whether the caller was legally rejected because no process was available for 15 seconds. There is no row of such a
 * call.
 */
export function wasRejected(conversation: Conversation, outages: readonly Outage[]): boolean {
  const facts = conversation.customer?.facts;
  if (facts?.direction !== 'outgoing') return false;
  const gaveUp = facts.cancelled || facts.refused === 503;
  const from = facts.startedAt;
  const to = Math.min(facts.endedAt ?? from, from + CALLER_WAIT_MS);
  const wasDown = outages.some(({ at, readyAt }) => at < to && (readyAt ?? Infinity) > from - 1_000);
  return gaveUp && wasDown;
}

/** Whether the application died or was down around the creation of the call. */
function wasDownAround(outages: readonly Outage[], created: Date): boolean {
  const since = created.getTime();
  return outages.some(({ at, readyAt }) => at < since + MAX_PLACING_MS && (readyAt ?? at) > since - MAX_PLACING_MS);
}
