import type { QueueSnapshot, StampedEvent, Strategy, Decision, VisitOutcome } from '../../model/queue/types.js';
import type { Skills } from '../../model/queue/skills.js';
import type { Destination } from './numbers.js';

export interface QueueRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** Unique in its project. */
  readonly name: string;
  /** The code that softphones dial; unique in its project. */
  readonly dial_code: string | null;
  readonly strategy: Strategy;
  readonly wrap_up_seconds: number;
  readonly ring_timeout_seconds: number;
  readonly max_wait_seconds: number;
  readonly max_length: number;
  readonly service_level_seconds: number;
  /** How long an agent who missed or refused an offer gets no further offers. */
  readonly unavailable_seconds: number;
  /** Agents without these skills are not rung. */
  readonly required_skills: Skills;
  /** A caller who has waited this long is offered to every agent of the queue; null: never. */
  readonly skills_timeout_seconds: number | null;
  readonly announce_position: boolean;
  readonly announce_every_seconds: number;
  /** An uploaded audio file; null: the engine's own music. */
  readonly music: string | null;
  /** Path of the file on the engines. */
  readonly music_path: string | null;
  readonly overflow: Destination;
  readonly callback_mode: 'agent_first' | 'customer_first';
  readonly record: boolean;
  readonly created_at: Date;
  readonly removed_at: Date | null;
}

export interface DispatcherRow {
  readonly project_id: string;
  readonly sequence: number;
  /** Number of log entries included in the state. */
  readonly state_sequence: number;
  readonly state: QueueSnapshot;
  /** When the next timer expires. */
  readonly due_at: Date | null;
}

export interface QueueLogRow {
  readonly sequence: number;
  readonly event: StampedEvent;
  readonly decisions: readonly Decision[];
}

/** One wait of a caller in a queue. */
export interface VisitRow {
  readonly project_id: string;
  /** Sequence of the log entry that started the wait. */
  readonly visit: number;
  readonly queue_id: string;
  readonly call_id: string;
  readonly entered_at: Date;
  readonly left_at: Date | null;
  readonly outcome: VisitOutcome | null;
  readonly agent: string | null;
  readonly wait_ms: number | null;
  readonly talk_ms: number | null;
  readonly refusals: number;
}
