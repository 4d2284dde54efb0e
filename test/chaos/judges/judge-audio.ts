import type { Conversation, Span } from '../phones/conversation.js';
import type { ReportLoss } from './judge-call.js';
import type { Leg } from '../phones/leg.js';
import type { Segment } from '../phones/media.js';
import type { Evidence } from './evidence.js';
import { latenessBetween, TRANSIT_MS } from './lateness.js';

/** The longest gap that is not a loss. */
const MAX_GAP_MS = 1_000;

/**
 * Checks what each phone heard while the parties were connected: gaps in audio that was not held or muted are losses.
 */
export function judgeAudio(conversation: Conversation, evidence: Evidence, loss: ReportLoss): void {
  for (const { user, ms, at } of gapsOf(conversation, evidence)) {
    if (ms > MAX_GAP_MS)
      loss('audio gap', `${user} heard nothing for ${ms} ms at ${new Date(at).toISOString().slice(11, 23)}`);
  }
}

export interface Gap {
  readonly user: string;
  readonly at: number;
  readonly ms: number;
}

/** The longest gap of each phone, and of each hold. */
export function gapsOf(conversation: Conversation, { media }: Pick<Evidence, 'media'>): Gap[] {
  const { customer, other, plan } = conversation;
  if (plan.kind === 'echo')
    return customer ? longestGap(customer, connectedSpans(conversation, [customer]), isLoud, media.lateness) : [];
  if (!customer || !other) return [];
  const spans = connectedSpans(conversation, [customer, other]);
  return [
    ...longestGap(customer, spans, isTone, media.lateness),
    ...longestGap(other, spans, isTone, media.lateness),
    ...holdSpans(conversation).flatMap(({ leg, span }) => longestGap(leg, [span], isAny, media.lateness)),
  ];
}

const isTone = ({ kind }: Segment): boolean => kind === 'tone';
const isLoud = ({ kind }: Segment): boolean => kind !== 'silence';
const isAny = (): boolean => true;

/**
 * The spans in which all parties should hear each other: from the time at which they did until the first hangup,
 * without holds and mutes.
 */
function connectedSpans(conversation: Conversation, legs: readonly Leg[]): Span[] {
  const heard = legs.map(({ stream }) => stream?.heardAt ?? Infinity);
  const ends = legs.map(({ facts }) => facts.endedAt ?? 0);
  let spans: Span[] = [
    { from: Math.max(...heard), to: Math.min(...ends, conversation.apiHangupAt ?? Infinity) - TRANSIT_MS },
  ];
  for (const { span: quiet } of conversation.controls) {
    spans = spans.flatMap(({ from, to }) => [
      { from, to: Math.min(to, quiet.from) },
      { from: Math.max(from, quiet.to + TRANSIT_MS), to },
    ]);
  }
  return spans.filter(({ from, to }) => to > from);
}

/** The spans of confirmed holds, in which the held party must hear music. */
function holdSpans(conversation: Conversation): { leg: Leg; span: Span }[] {
  return conversation.controls.flatMap(({ control, confirmed }) => {
    const leg = control.leg === 'customer' ? conversation.customer : conversation.other;
    if (control.action !== 'hold' || !leg) return [];
    const to = Math.min(confirmed.to, leg.facts.endedAt ?? 0) - TRANSIT_MS;
    return to > confirmed.from + TRANSIT_MS ? [{ leg, span: { from: confirmed.from + TRANSIT_MS, to } }] : [];
  });
}

function longestGap(
  leg: Leg,
  spans: readonly Span[],
  counts: (segment: Segment) => boolean,
  lateness: Evidence['media']['lateness'],
): Gap[] {
  const heard = (leg.stream?.segments ?? []).filter(counts);
  let found: Gap | null = null;
  for (const { from, to } of spans) {
    let silentSince = from;
    for (const segment of [...heard.filter((one) => one.to > from && one.from < to), { from: to, to }]) {
      const ms = Math.min(segment.from, to) - silentSince - latenessBetween(lateness, silentSince, segment.from);
      if (ms > (found?.ms ?? 0)) found = { user: leg.facts.user, at: silentSince, ms };
      silentSince = Math.max(silentSince, segment.to);
    }
  }
  return found ? [found] : [];
}
