/**
 * Agents and queues as the dispatcher sees them. Times are milliseconds since 1970, durations in rules are seconds.
 */

export const STRATEGIES = [
  'longest_idle',
  'round_robin',
  'ring_all',
  'fewest_calls',
  'least_talk_time',
  'random',
  'priority',
] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const AGENT_STATES = ['idle', 'ringing', 'busy', 'wrap_up', 'unavailable'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

/** By what a queue's callers are given to its agents. */
export interface QueueRules {
  readonly id: string;
  readonly strategy: Strategy;
  /** An agent is left in peace for so long after a call. */
  readonly wrapUpSeconds: number;
  /** A phone rings for so long. */
  readonly ringTimeoutSeconds: number;
  /** Who was not answered after this time goes where the queue overflows to. */
  readonly maxWaitSeconds: number;
  /** So many may wait; the next goes where the queue overflows to. */
  readonly maxLength: number;
  /** An agent who refused an offer, or let it ring, is offered nothing for so long. */
  readonly unavailableSeconds: number;
}

/** Why an offer came to nothing. */
export type OfferFailure = 'rejected' | 'no_answer' | 'unreachable';

/** Why a caller is sent on without having been answered. */
export type OverflowReason = 'full' | 'max_wait' | 'queue_removed';

/** What happens to the queues and agents of a project. */
export type QueueEvent =
  /** A queue is new, or has other rules. */
  | { readonly type: 'queue_put'; readonly queue: QueueRules }
  | { readonly type: 'queue_removed'; readonly queueId: string }
  /** An agent is new, or has another priority: 1 is the highest, 9 the lowest. */
  | { readonly type: 'agent_put'; readonly agent: string; readonly priority: number }
  | { readonly type: 'agent_removed'; readonly agent: string }
  | { readonly type: 'logged_in'; readonly agent: string; readonly queueId: string }
  | { readonly type: 'logged_out'; readonly agent: string; readonly queueId: string }
  | { readonly type: 'paused'; readonly agent: string; readonly reason: string | null }
  | { readonly type: 'unpaused'; readonly agent: string }
  /** The agent's softphone is registered somewhere, or nowhere any more. */
  | { readonly type: 'registration'; readonly agent: string; readonly registered: boolean }
  /** The agent's softphone has a leg of any call, of a queue or not. */
  | { readonly type: 'leg_began'; readonly agent: string; readonly legId: string }
  | { readonly type: 'leg_ended'; readonly agent: string; readonly legId: string }
  | { readonly type: 'entered'; readonly callId: string; readonly queueId: string }
  /** An offer came to nothing. */
  | { readonly type: 'refused'; readonly callId: string; readonly agent: string; readonly reason: OfferFailure }
  /** An agent took the call, with this leg. */
  | { readonly type: 'answered'; readonly callId: string; readonly agent: string; readonly legId: string }
  /** A caller who waited is gone. */
  | { readonly type: 'left'; readonly callId: string }
  /** Time has passed. */
  | { readonly type: 'tick' };

export type StampedEvent = QueueEvent & { readonly at: number };

/** What is to be done, and what has become known, because of an event. */
export type Decision =
  | {
      readonly type: 'offer';
      readonly callId: string;
      readonly queueId: string;
      readonly agent: string;
      readonly ringSeconds: number;
    }
  /** The agent is to be rung no longer for this caller. */
  | { readonly type: 'withdraw'; readonly callId: string; readonly agent: string }
  /** The caller is in the queue no longer, and is to be sent on. */
  | { readonly type: 'overflow'; readonly callId: string; readonly queueId: string; readonly reason: OverflowReason }
  | Fact;

/** What has become known. `visit` names one stay of a caller in a queue. */
export type Fact =
  | { readonly type: 'entered'; readonly callId: string; readonly queueId: string; readonly visit: number }
  | {
      readonly type: 'ended_wait';
      readonly callId: string;
      readonly queueId: string;
      readonly visit: number;
      readonly outcome: VisitOutcome;
      readonly agent: string | null;
      readonly waitedMs: number;
    }
  | {
      readonly type: 'refused';
      readonly callId: string;
      readonly queueId: string;
      readonly agent: string;
      readonly visit: number;
    }
  | {
      readonly type: 'finished';
      readonly callId: string;
      readonly queueId: string;
      readonly agent: string;
      readonly visit: number;
      readonly talkMs: number;
    }
  | { readonly type: 'agent_logged_in'; readonly agent: string; readonly queueId: string }
  | { readonly type: 'agent_logged_out'; readonly agent: string; readonly queueId: string };

export const VISIT_OUTCOMES = ['answered', 'abandoned', 'max_wait', 'full', 'queue_removed'] as const;
/** How a stay in a queue ended. */
export type VisitOutcome = (typeof VISIT_OUTCOMES)[number];

/** An agent's place in a queue, kept when the agent logs out. */
export interface Membership {
  readonly queueId: string;
  isIn: boolean;
  /** When the agent logged in or out. */
  since: number;
  /** Since the login. */
  calls: number;
  talkMs: number;
}

/** An agent who is rung for a caller, or talks with one. A lease: after `until` it is over, whatever anybody told. */
export interface Reservation {
  readonly callId: string;
  readonly queueId: string;
  readonly visit: number;
  /** Null while the phone rings. */
  legId: string | null;
  /** When the talk began; while the phone rings, the ringing. */
  since: number;
  until: number;
}

export interface AgentEntry {
  readonly agent: string;
  priority: number;
  registered: boolean;
  paused: { readonly reason: string | null; readonly since: number } | null;
  state: AgentState;
  /** Since when the agent is idle, or was last. */
  idleSince: number;
  /** Legs of the softphone that are not over. */
  legIds: string[];
  reservation: Reservation | null;
  unavailableUntil: number | null;
  wrapUpUntil: number | null;
  memberships: Membership[];
}

export interface QueueEntry {
  rules: QueueRules;
  /** Whom round robin chose last. */
  lastAgent: string | null;
  /** How long talks last of late, smoothed; null before the first. */
  averageTalkMs: number | null;
}

export interface CallerEntry {
  readonly callId: string;
  readonly queueId: string;
  readonly visit: number;
  readonly enteredAt: number;
  readonly dueAt: number;
  /** Who is rung for the caller now. */
  agents: string[];
}

/** All that the dispatcher knows of a project, as it is written down. */
export interface QueueSnapshot {
  /** How many events were applied. */
  readonly sequence: number;
  readonly now: number;
  /** Of the random strategy. */
  readonly random: number;
  readonly queues: readonly QueueEntry[];
  readonly agents: readonly AgentEntry[];
  /** In the order in which they came. */
  readonly callers: readonly CallerEntry[];
}
