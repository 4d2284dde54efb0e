import type { Channel } from '../../model/messaging/channels.js';
import type { FailureReason } from '../../model/messaging/failure.js';
import type { MessageClass, MessageDirection, MessageStatus } from '../../model/messaging/message.js';
import type { SenderStatus } from '../../model/messaging/sender.js';
import type { TemplateCategory, TemplateContent, TemplateStatus } from '../../model/messaging/template.js';
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
  readonly thread_id: string;
  readonly recipient: string;
  readonly sender: string | null;
  /** Null for an inbound message. */
  readonly class: MessageClass | null;
  readonly status: MessageStatus;
  /** Null once its retention is over. */
  readonly body: string | null;
  /** Of an e-mail; otherwise null. */
  readonly subject: string | null;
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
