import type {
  BroadcastProblem,
  BroadcastStatus,
  BroadcastVariant,
  SkipReason,
} from '../../model/broadcasts/broadcast.js';
import type { PersonValues } from '../../model/broadcasts/variables.js';
import type { Sealed } from '../../model/access/cipher.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { StoredFallback } from '../../model/messaging/fallback.js';
import type { FailureReason } from '../../model/messaging/failure.js';
import type { StoredExtra } from '../../model/messaging/extra.js';
import type { MessageClass, MessageDirection, MessageStatus } from '../../model/messaging/message.js';
import type { SenderStatus } from '../../model/messaging/sender.js';
import type { TemplateCategory, TemplateContent, TemplateStatus } from '../../model/messaging/template.js';
import type { ChatStatus } from '../../model/messaging/webchat.js';
import type { MicroSar } from '../../model/money.js';

/** A message template in one language. */
export interface MessageTemplateRow extends TemplateContent {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly channel: Channel;
  readonly name: string;
  readonly language: string;
  readonly category: TemplateCategory;
  readonly status: TemplateStatus;
  readonly rejection_reason: string | null;
  /** The id that the messaging provider gave it. */
  readonly provider_id: string | null;
  /** What the client calls it at the provider; stored, never used. */
  readonly template_id: string | null;
  /** Rises with each change of the content, so that a decision on an earlier one does not apply. */
  readonly revision: number;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly decided_at: Date | null;
}

/** A conversation with one person on one channel. */
export interface MessageThreadRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly channel: Channel;
  /** E.164, or an address of the channel. */
  readonly address: string;
  /** Who wrote to the person last, for the organization. */
  readonly sender: string | null;
  /** The extension of the agent who has the conversation. */
  readonly agent: string | null;
  readonly last_message_at: Date;
  readonly created_at: Date;
}

export interface MessageRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly channel: Channel;
  readonly direction: MessageDirection;
  /** Null for a message of the platform itself. */
  readonly thread_id: string | null;
  readonly recipient: string;
  readonly sender: string | null;
  /** Null for an inbound message. */
  readonly class: MessageClass | null;
  readonly status: MessageStatus;
  /** Null once its retention is over. */
  readonly body: string | null;
  /** Of an e-mail; otherwise null. */
  readonly subject: string | null;
  /** Null for a message of text only. */
  readonly content: StoredExtra | null;
  readonly template_name: string | null;
  readonly template_language: string | null;
  readonly segments: number;
  /** In how many parts it is submitted. */
  readonly parts: number;
  /** What it costs when it is sent; held from the balance until then. */
  readonly amount: MicroSar;
  readonly error_reason: FailureReason | null;
  readonly provider_code: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly agent: string | null;
  /** The broadcast that it belongs to. */
  readonly broadcast_id: string | null;
  /** The index of its variant; null outside of broadcasts, and once a retry has replaced it. */
  readonly broadcast_variant: number | null;
  readonly created_by_key: string | null;
  readonly request_id: string | null;
  readonly scheduled_at: Date | null;
  readonly valid_until: Date | null;
  /** When a process may submit it. Null: never, or one does. */
  readonly due_at: Date | null;
  /** When a process began to submit it. */
  readonly claimed_at: Date | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly delivered_at: Date | null;
  readonly read_at: Date | null;
  readonly failed_at: Date | null;
  /** Further channels; null if there are none. */
  readonly fallback?: StoredFallback | null;
  /** When the next channel is tried. */
  readonly fallback_at?: Date | null;
  /** The first message of the chain. */
  readonly fallback_of?: string | null;
  /** Whether the platform sends it for itself: its text is sealed, and nobody sees it. */
  readonly is_system?: boolean;
}

/** A file that a project uploaded for its messages. */
export interface MessageFileRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly storage: 'local' | 's3';
  readonly storage_key: string;
  readonly created_by_key: string | null;
  /** Null if it came with a message. */
  readonly request_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** A web address of a message whose clicks are counted. */
export interface MessageLinkRow {
  /** The end of its short address. */
  readonly code: string;
  readonly message_id: string;
  readonly url: string;
  /** By persons. */
  readonly clicks: number;
  /** By programs that look ahead. */
  readonly previews: number;
  readonly first_clicked_at: Date | null;
  readonly last_clicked_at: Date | null;
}

/** A name or number under which messages are sent. */
export interface MessageSenderRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly channel: Channel;
  readonly sender: string;
  readonly status: SenderStatus;
  readonly rejection_reason: string | null;
  readonly created_by_key: string;
  readonly request_id: string;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

/** The price of messages on a channel, in a version of a rate plan. */
export interface MessageRateRow {
  readonly version_id: string;
  readonly channel: Channel;
  /** Prefix of the recipient's number in E.164, without its plus; empty applies to every recipient. */
  readonly prefix: string;
  readonly per_segment: MicroSar;
}

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
  /** Whether the web addresses of its messages are replaced by short ones whose clicks are counted. */
  readonly track_links: boolean;
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

/** A number at a provider of the chat application. Its id is that of a sender. */
export interface ChatappAccountRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  /** E.164. */
  readonly phone_number: string;
  /** The provider's ids of the number, and of the account that it belongs to. */
  readonly phone_number_id: string;
  readonly business_account_id: string;
  readonly access_token: Sealed;
  readonly app_secret: Sealed;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The chat of a visitor of web pages. */
export interface WebchatRow {
  /** The visitor: the address of the conversation. */
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly widget_id: string;
  /** Null until the visitor has written. */
  readonly thread_id: string | null;
  readonly visitor_name: string | null;
  readonly language: 'ar' | 'en';
  readonly status: ChatStatus;
  /** The queue whose agents it is offered to; null: it is offered to nobody. */
  readonly queue_id: string | null;
  /** Agents who did not accept it, since it waits. */
  readonly declined_by: readonly string[];
  readonly waiting_since: Date | null;
  readonly offered_until: Date | null;
  readonly assigned_at: Date | null;
  readonly closed_at: Date | null;
  /** Whether the agent took it from an offer of its queue; null: no. */
  readonly from_offer: boolean | null;
  /** Since when the agent who had it is away; null: nobody had it, or an agent is there. */
  readonly left_at: Date | null;
  /** When the last message was exchanged, or the visitor came. */
  readonly active_at: Date;
  /** Until then the visitor's token is valid. */
  readonly expires_at: Date;
  readonly created_at: Date;
}
