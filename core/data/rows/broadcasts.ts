import type {
  BroadcastProblem,
  BroadcastStatus,
  BroadcastVariant,
  PersonValues,
  SkipReason,
} from '../../model/messaging/broadcast.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { MessageClass } from '../../model/messaging/message.js';

/** Messages from templates to many people. */
export interface BroadcastRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly name: string;
  readonly channel: Channel;
  readonly status: BroadcastStatus;
  readonly problem: BroadcastProblem | null;
  /** Null: chosen for each recipient. */
  readonly sender: string | null;
  readonly class: MessageClass;
  readonly variants: readonly BroadcastVariant[];
  readonly source: 'group' | 'file';
  /** Null: a file, or the group was deleted. */
  readonly group_id: string | null;
  readonly file_name: string | null;
  readonly scheduled_at: Date | null;
  /** `2026-12-01T10:00`, by the clock of each recipient. */
  readonly local_time: string | null;
  readonly rate_per_minute: number | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Recipients that are known. */
  readonly total: number;
  /** The last contact of the group that is a recipient already. */
  readonly prepared_after: string | null;
  /** When all recipients were known. */
  readonly prepared_at: Date | null;
  /** With a rate: when the next message may be sent. */
  readonly paced_until: Date | null;
  /** When a process looks at it again. Null: never. */
  readonly due_at: Date | null;
  /** Faults since the last step. */
  readonly attempts: number;
  /** When a message was accepted last. */
  readonly accepted_at: Date | null;
  readonly reported_at: Date | null;
  /** What the last event of its progress said. */
  readonly reported: string | null;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** Somebody who is to get a message of a broadcast. */
export interface BroadcastRecipientRow {
  readonly id: string;
  readonly broadcast_id: string;
  /** From 1; of a file, the line. */
  readonly number: number;
  /** Null: there is none, or it is not valid. */
  readonly address: string | null;
  readonly contact_id: string | null;
  /** IANA name; null: that of the contact with the address, or of Riyadh. */
  readonly time_zone: string | null;
  /** What the variables of the broadcast need, by field. */
  readonly fields: PersonValues;
  /** `accepted`: there is a message, which has the outcome. */
  readonly status: 'waiting' | 'accepted' | 'skipped';
  readonly skip_reason: SkipReason | null;
  readonly message_id: string | null;
  /** How many messages were accepted. */
  readonly attempts: number;
  readonly due_at: Date;
}
