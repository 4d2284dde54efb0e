import type { Destination } from './destinations.js';
import { outcomeOfUnanswered, Q850 } from './hangup-cause.js';

/** When the calls of an agent are forwarded. */
export const FORWARD_CASES = ['always', 'busy', 'no_answer', 'unregistered'] as const;
export type ForwardCase = (typeof FORWARD_CASES)[number];

/**
 * Where calls are forwarded to, checked and normalised like any destination. `voicemail` without a target is the box of
 * the agent's own number.
 */
export type ForwardTarget =
  | { readonly type: 'agent' | 'number'; readonly target: string }
  | { readonly type: 'voicemail'; readonly target: string | null };

/** What happens to calls for an agent. */
export type CallForwarding = Readonly<Record<ForwardCase, ForwardTarget | null>> & {
  /** The phone does not ring: the agent counts as busy, and as unavailable to queues. */
  readonly do_not_disturb: boolean;
  /** How long the phone rings before an unanswered call is forwarded. */
  readonly no_answer_seconds: number;
};

/** The shortest time that people need, and less than a direct call rings. */
export const NO_ANSWER_SECONDS = { min: 5, max: 40, default: 20 } as const;

/** Nothing is forwarded, and the phone rings. */
export const NO_FORWARDING: CallForwarding = {
  do_not_disturb: false,
  always: null,
  busy: null,
  no_answer: null,
  no_answer_seconds: NO_ANSWER_SECONDS.default,
  unregistered: null,
};

/** A change of an agent's forwarding; absent members stay unchanged, null cancels a forward. */
export type ForwardingChange = { readonly [Member in keyof CallForwarding]?: CallForwarding[Member] | undefined };

/** How many times one call is forwarded. */
export const MAX_FORWARDS = 5;

/** An agent whose call was forwarded, and in which case. */
export interface Diversion {
  readonly agent: string;
  readonly case: ForwardCase;
}

/** How far a call has come: the party that is called now, and the agents who forwarded the call, the first one first. */
export interface ForwardedPath {
  readonly to: Destination;
  readonly through: readonly Diversion[];
}

/** Why a party was not reached. */
export interface Unreached {
  readonly q850: number;
  readonly hasRung: boolean;
}

const UNREACHABLE: ReadonlySet<number> = new Set([
  Q850.SUBSCRIBER_ABSENT,
  Q850.DESTINATION_OUT_OF_ORDER,
  Q850.RECOVERY_ON_TIMER_EXPIRY,
]);

/**
 * The cases that an unreached phone is, the closest one first: a phone that never rang is unreachable, although it is
 * still registered.
 */
export function forwardCases({ q850, hasRung }: Unreached): readonly Exclude<ForwardCase, 'always'>[] {
  if (UNREACHABLE.has(q850)) return ['unregistered'];
  const { disposition } = outcomeOfUnanswered(q850);
  if (disposition === 'busy' || disposition === 'rejected') return ['busy'];
  if (disposition !== 'no_answer') return [];
  return hasRung ? ['no_answer'] : ['unregistered', 'no_answer'];
}
