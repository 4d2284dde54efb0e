import type { Skills } from './skills.js';

/**
 * Agents and queues as the dispatcher sees them. Times are milliseconds since 1970; durations in
 * rules are seconds.
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

/** How a queue distributes its callers to its agents. */
export interface QueueRules {
  readonly id: string;
  readonly strategy: Strategy;
  /** How long an agent is not rung after a call. */
  readonly wrapUpSeconds: number;
  /** How long a phone rings. */
  readonly ringTimeoutSeconds: number;
  /** A caller not answered after this time overflows. */
  readonly maxWaitSeconds: number;
  /** Maximum number of waiting callers; further callers overflow. */
  readonly maxLength: number;
  /** How long an agent who refused or missed an offer gets no further offers. */
  readonly unavailableSeconds: number;
  /** Agents without these skills are not rung. Absent in older logs: none. */
  readonly requiredSkills?: Skills;
  /** A caller who has waited this long is offered to every agent of the queue; null or absent: never. */
  readonly skillsTimeoutSeconds?: number | null;
}

/** Why an offer failed. */
export type OfferFailure = 'rejected' | 'no_answer' | 'unreachable';

/** Why a caller left the queue unanswered. */
export type OverflowReason = 'full' | 'max_wait' | 'queue_removed';

/** Events of a project's queues and agents. */
export type QueueEvent =
  /** A queue was created, or its rules changed. */
  | { readonly type: 'queue_put'; readonly queue: QueueRules }
  | { readonly type: 'queue_removed'; readonly queueId: string }
  /** An agent was created or changed. Priority 1 is the highest, 9 the lowest. No skills in older logs. */
  | { readonly type: 'agent_put'; readonly agent: string; readonly priority: number; readonly skills?: Skills }
  | { readonly type: 'agent_removed'; readonly agent: string }
  | { readonly type: 'logged_in'; readonly agent: string; readonly queueId: string }
  | { readonly type: 'logged_out'; readonly agent: string; readonly queueId: string }
  | { readonly type: 'paused'; readonly agent: string; readonly reason: string | null }
  | { readonly type: 'unpaused'; readonly agent: string }
  /** The agent's softphone registered, or is no longer registered anywhere. */
  | { readonly type: 'registration'; readonly agent: string; readonly registered: boolean }
  /** The agent's phone must not ring, or may ring again. */
  | { readonly type: 'do_not_disturb'; readonly agent: string; readonly on: boolean }
  /** The agent's softphone has a leg in any call, from a queue or not. */
  | { readonly type: 'leg_began'; readonly agent: string; readonly legId: string }
  | { readonly type: 'leg_ended'; readonly agent: string; readonly legId: string }
  /** `requiredSkills`: besides those of the queue. */
  | { readonly type: 'entered'; readonly callId: string; readonly queueId: string; readonly requiredSkills?: Skills }
  /** An offer failed. */
  | { readonly type: 'refused'; readonly callId: string; readonly agent: string; readonly reason: OfferFailure }
  /** An agent answered the call, with this leg. */
  | { readonly type: 'answered'; readonly callId: string; readonly agent: string; readonly legId: string }
  /** A waiting caller hung up. */
  | { readonly type: 'left'; readonly callId: string }
  /** Time has passed. */
  | { readonly type: 'tick' };

export type StampedEvent = QueueEvent & { readonly at: number };

/** An action to take, or a fact to publish, as the result of an event. */
export type Decision =
  | {
      readonly type: 'offer';
      readonly callId: string;
      readonly queueId: string;
      readonly agent: string;
      readonly ringSeconds: number;
    }
  /** Stop ringing the agent for this caller. */
  | { readonly type: 'withdraw'; readonly callId: string; readonly agent: string }
  /** The caller has left the queue and must be sent to the overflow destination. */
  | { readonly type: 'overflow'; readonly callId: string; readonly queueId: string; readonly reason: OverflowReason }
  | Fact;

/** A fact to publish. `visit` identifies one wait of a caller in a queue. */
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
  | { readonly type: 'agent_logged_out'; readonly agent: string; readonly queueId: string }
  | { readonly type: 'agent_paused'; readonly agent: string; readonly reason: string | null }
  /** `reason` is that of the pause. */
  | {
      readonly type: 'agent_unpaused';
      readonly agent: string;
      readonly reason: string | null;
      readonly pausedMs: number;
    };

export const VISIT_OUTCOMES = ['answered', 'abandoned', 'max_wait', 'full', 'queue_removed'] as const;
/** How a wait in a queue ended. */
export type VisitOutcome = (typeof VISIT_OUTCOMES)[number];

/** An agent's membership of a queue, kept when the agent logs out. */
export interface Membership {
  readonly queueId: string;
  isIn: boolean;
  /** When the agent logged in or out. */
  since: number;
  /** Counted since login. */
  calls: number;
  talkMs: number;
}

/**
 * An agent who is rung for a caller, or talks with one. A lease: it ends at `until` even if no
 * event ends it.
 */
export interface Reservation {
  readonly callId: string;
  readonly queueId: string;
  readonly visit: number;
  /** Null while the phone rings. */
  legId: string | null;
  /** When the talk started; while the phone rings, when ringing started. */
  since: number;
  until: number;
}

export interface AgentEntry {
  readonly agent: string;
  priority: number;
  /** Absent in older snapshots: none. */
  skills?: Skills;
  registered: boolean;
  /** Absent in older snapshots: false. */
  doNotDisturb?: boolean;
  paused: { readonly reason: string | null; readonly since: number } | null;
  state: AgentState;
  /** Start of the current or last idle time. */
  idleSince: number;
  /** The softphone's live legs. */
  legIds: string[];
  reservation: Reservation | null;
  unavailableUntil: number | null;
  wrapUpUntil: number | null;
  memberships: Membership[];
}

export interface QueueEntry {
  rules: QueueRules;
  /** The agent that round robin chose last. */
  lastAgent: string | null;
  /** Smoothed average of recent talk times; null before the first talk. */
  averageTalkMs: number | null;
}

export interface CallerEntry {
  readonly callId: string;
  readonly queueId: string;
  readonly visit: number;
  readonly enteredAt: number;
  readonly dueAt: number;
  /** Besides those of the queue; absent: none. */
  readonly requiredSkills?: Skills;
  /** The agents being rung for the caller now. */
  agents: string[];
}

/** The dispatcher's whole state for a project, as it is stored. */
export interface QueueSnapshot {
  /** Number of applied events. */
  readonly sequence: number;
  readonly now: number;
  /** State of the random strategy. */
  readonly random: number;
  readonly queues: readonly QueueEntry[];
  readonly agents: readonly AgentEntry[];
  /** In order of arrival. */
  readonly callers: readonly CallerEntry[];
}
