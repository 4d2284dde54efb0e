import type { CallRow, LegRow } from '../../../core/data/rows.js';
import type { CallStatus, Disposition } from '../../../core/model/call/call.js';
import type { Conversation } from '../phones/conversation.js';
import { RING_SECONDS } from '../phones/conversation.js';
import type { LossKind, Written } from './loss.js';
import type { LegFacts } from '../phones/leg.js';
import type { Evidence, Kill } from './evidence.js';

export type Report = (kind: LossKind, text: string) => void;

interface End {
  readonly status: CallStatus;
  readonly disposition: Disposition;
  readonly q850: number | null;
}

const OF_REFUSAL: Readonly<Record<number, End>> = {
  486: { status: 'missed', disposition: 'busy', q850: 17 },
  603: { status: 'missed', disposition: 'rejected', q850: 21 },
  404: { status: 'failed', disposition: 'invalid_number', q850: 1 },
  503: { status: 'failed', disposition: 'congestion', q850: 34 },
};
const ANSWERED: End = { status: 'ended', disposition: 'answered', q850: 16 };
const UNJOINED: End = { ...ANSWERED, q850: null };
const CANCELLED: End = { status: 'cancelled', disposition: 'cancelled', q850: null };
const UNANSWERED: End = { status: 'missed', disposition: 'no_answer', q850: null };
/** Q.850 27, destination out of order: the engine was gone. */
const CRASHED: End = { ...ANSWERED, q850: 27 };
const CRASHED_BEFORE: End = { status: 'failed', disposition: 'failed', q850: 27 };

/** How far a duration may be from what the phone saw. */
const TOLERANCE_MS = 1_000;
/** What happens at both ends within this time has no order. */
const SAME_MOMENT_MS = 1_000;
/** A placed call that nobody rang for so long is not rung any more. */
const STALE_MS = 15_000;
/** A caller rings so long while the application is away. */
const WAITS_MS = 15_000;
const ADOPTED_WITHIN_MS = 60_000;
/** From the note of a leg to its dial, on a busy machine. */
const DIALS_WITHIN_MS = 1_000;

/** What became of the call, against what its phones saw. */
export function judgeCall(talk: Conversation, written: Written | null, evidence: Evidence, loss: Report): void {
  const kills = evidence.killsOf(talk);
  for (const leg of [talk.customer, talk.other]) if (leg) judgeEnd(talk, leg.facts, written, kills, loss);
  judgeRings(talk, written, evidence, loss);
  if (!written) {
    if (talk.refused === null && !wasTurnedAway(talk, kills)) loss('call lost', 'nothing is written down of it');
    return;
  }
  const { call } = written;
  const wanted = wantedEnd(talk, written);
  const got = `${call.status} ${String(call.disposition)} (${String(call.hangup_q850)})`;
  if (wanted === null) {
    const waited = (call.ended_at?.getTime() ?? 0) - call.created_at.getTime();
    const mayBe = ['failed', 'cancelled', 'timeout'].includes(call.status);
    if (!mayBe) loss('wrong end', `${got}, and nobody was rung`);
    else if (call.status === 'failed' && waited < STALE_MS && !diedAt(kills, call.created_at)) {
      loss('call lost', `${got} after ${waited} ms, and nobody was rung`);
    }
    return;
  }
  // What the engine notes of an end does not tell whether a phone rang that nobody saw ringing.
  const isUnseenRinging = wanted === UNANSWERED && call.status === 'timeout' && call.ringing_at === null;
  const isWrong = call.disposition !== wanted.disposition || (call.status !== wanted.status && !isUnseenRinging);
  if (isWrong || (wanted.q850 !== null && call.hangup_q850 !== wanted.q850)) {
    loss('wrong end', `${got} instead of ${wanted.status} ${wanted.disposition} (${String(wanted.q850 ?? 'any')})`);
  }
  judgeDuration(talk, written, loss);
  judgeAdoption(talk, written, kills, loss);
}

/** What the phones saw means this end; null: nobody was rung. */
function wantedEnd(talk: Conversation, { call }: Written): End | null {
  const facts = talk.customer?.facts;
  if (!facts) return null;
  if (facts.endedBy === 'crash') return facts.confirmedAt === null ? CRASHED_BEFORE : CRASHED;
  // Where the other was not to be had, the customer is told why.
  if (facts.confirmedAt !== null) {
    const wasAlone = talk.plan.other !== '' && talk.other?.facts.confirmedAt == null;
    return wasAlone ? UNJOINED : ANSWERED;
  }
  if (facts.direction === 'to us') {
    // The engine may have given up before it heard of the refusal.
    const isLate = (facts.endHeardAt ?? Infinity) - (facts.endedAt ?? 0) > SAME_MOMENT_MS;
    if (facts.refused !== null && isLate && call.disposition === 'no_answer') return UNANSWERED;
    if (facts.refused !== null) return OF_REFUSAL[facts.refused] ?? null;
    const hasRungOut = (facts.endedAt ?? 0) - facts.startedAt > RING_SECONDS * 1000 - SAME_MOMENT_MS;
    return talk.hungUpByApi === null || (call.status === 'missed' && hasRungOut) ? UNANSWERED : CANCELLED;
  }
  // A caller who gave up, or whom the other's refusal reached.
  const refused = talk.other?.facts.refused;
  if (refused != null && !facts.cancelled) return OF_REFUSAL[refused] ?? null;
  return call.status === 'cancelled' && talk.hungUpByApi !== null ? CANCELLED : UNANSWERED;
}

/** An answered call ends, and a ringing phone stops to ring, for a reason. */
function judgeEnd(
  talk: Conversation,
  facts: LegFacts,
  written: Written | null,
  kills: readonly Kill[],
  loss: Report,
): void {
  if (facts.endedAt === null) {
    loss('left behind', `${facts.user} still has its call`);
    return;
  }
  if (facts.endedBy !== 'them') return;
  const { customer, other, plan } = talk;
  const before = (at: number | null | undefined): boolean => at != null && at <= (facts.endedAt ?? 0) + SAME_MOMENT_MS;
  const partner = facts === customer?.facts ? other?.facts : customer?.facts;
  // The platform ends a leg because the other one ended it, because it was told to, or because the program is done.
  // Nobody knows whether the other was dialled when the application died just before; it is not dialled twice, and given up in time.
  const isUnknown = !other && written?.legs.some((leg) => leg.role === 'agent' && isUndialled(leg, kills)) === true;
  const wasEndedFor =
    isUnknown ||
    before(talk.hungUpByApi) ||
    (partner?.endedBy === 'us' && before(partner.endedAt)) ||
    (plan.kind === 'play' && facts === customer?.facts);
  if (wasEndedFor) return;
  if (facts.confirmedAt !== null) {
    loss('dropped', `${facts.user} was hung up on in the middle of the call`);
    return;
  }
  const rangMs = facts.endedAt - facts.sentAt;
  if (facts.direction === 'to us' && rangMs < RING_SECONDS * 1000 - SAME_MOMENT_MS) {
    loss('dropped', `${facts.user} stopped ringing after ${rangMs} ms`);
  }
}

/**
 * The application died while it was about to dial the leg, or it was dialled while nothing passed to the engine or to the phone; and nothing
 * was heard of it after.
 */
function isUndialled(leg: LegRow, kills: readonly Kill[]): boolean {
  const since = leg.created_at.getTime();
  return (
    leg.ringing_at === null &&
    kills.some(({ at, readyAt }) => at - since < DIALS_WITHIN_MS && since < (readyAt ?? Infinity))
  );
}

function judgeRings(talk: Conversation, written: Written | null, { carrier }: Evidence, loss: Report): void {
  for (const user of [talk.plan.customer, talk.plan.other]) {
    const rung = carrier.legsOf(user).filter(({ facts }) => facts.direction === 'to us').length;
    if (rung > 1) loss('rung twice', `${user} was rung ${rung} times`);
  }
  if (written?.call.ringing_at != null && !talk.customer) loss('wrong end', 'it is said to have rung, and nobody was');
}

function judgeDuration(talk: Conversation, { call }: Written, loss: Report): void {
  const facts = talk.customer?.facts;
  if (facts?.confirmedAt == null || facts.endedAt === null) return;
  if (call.answered_at === null || call.ended_at === null) return;
  const [shortest, longest] = talkedFor(facts);
  const noted = call.ended_at.getTime() - call.answered_at.getTime();
  if (noted < shortest - TOLERANCE_MS || noted > longest + TOLERANCE_MS) {
    loss('wrong duration', `${noted} ms instead of ${shortest === longest ? '' : `${shortest} to `}${longest} ms`);
  }
}

/** When the leg ended, at the earliest and at the latest: as the one that ended it says, and as the other heard. */
export function endsOf({ endedAt, endSentAt, endHeardAt }: LegFacts): readonly [number, number] {
  const at = endedAt ?? 0;
  return [endSentAt ?? at, Math.max(at, endHeardAt ?? at)];
}

/** How long the phone talked, in milliseconds: at least, and at most. */
export function talkedFor(facts: LegFacts): readonly [number, number] {
  const [earliest, latest] = endsOf(facts);
  const from = facts.confirmedAt ?? earliest;
  return [Math.max(0, earliest - from), latest - from];
}

/** A call that lived when the application was killed is in the hands of the next in time. */
function judgeAdoption(talk: Conversation, { adoptedAt, call }: Written, all: readonly Kill[], loss: Report): void {
  const kills = all.filter(({ what }) => what === 'process');
  const endedAt = talk.customer?.facts.endedAt ?? call.ended_at?.getTime() ?? 0;
  for (const [index, { at }] of kills.entries()) {
    // A process that was killed itself before it had the time is no reproach to the one that follows.
    const isInterrupted = (kills[index + 1]?.at ?? Infinity) < at + ADOPTED_WITHIN_MS;
    if (begunAt(call) > at || endedAt < at + ADOPTED_WITHIN_MS || isInterrupted) continue;
    const first = adoptedAt.find((adopted) => adopted.getTime() > at);
    if (!first || first.getTime() > at + ADOPTED_WITHIN_MS) loss('not adopted', 'nobody took it over in a minute');
  }
}

/** When the application made the call's id: a caller may have rung for some time before. */
function begunAt({ id }: CallRow): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/** How long each adoption took of a call that outlived a kill, in milliseconds. */
export function adoptionTimes(talk: Conversation, adoptedAt: readonly Date[], all: readonly Kill[]): number[] {
  const kills = all.filter(({ what }) => what === 'process');
  const { customer } = talk;
  if (!customer) return [];
  return kills.flatMap(({ at }, index) => {
    const next = kills[index + 1]?.at ?? Infinity;
    const first = adoptedAt.find((adopted) => adopted.getTime() > at);
    const lived = customer.facts.startedAt < at && (customer.facts.endedAt ?? 0) > at;
    return lived && first && first.getTime() < next ? [first.getTime() - at] : [];
  });
}

/** A caller who rang in vain because nobody was there for a quarter of a minute was told so; there is no call then. */
export function wasTurnedAway(talk: Conversation, kills: readonly Kill[]): boolean {
  const facts = talk.customer?.facts;
  if (facts?.direction !== 'from us') return false;
  const gaveUp = facts.cancelled || facts.refused === 503;
  const from = facts.startedAt;
  const to = Math.min(facts.endedAt ?? from, from + WAITS_MS);
  const isAway = kills.some(({ at, readyAt }) => at < to && (readyAt ?? Infinity) > from - 1_000);
  return gaveUp && isAway;
}

/** The application died within this moment of the call's beginning, or was away then, with the phone not rung yet. */
function diedAt(kills: readonly Kill[], created: Date): boolean {
  const since = created.getTime();
  return kills.some(({ at, readyAt }) => at < since + STALE_MS && (readyAt ?? at) > since - STALE_MS);
}
