import type { Channel } from '../../model/messaging/channels.js';
import type { StoredExtra } from '../../model/messaging/extra.js';
import type { FailureReason } from '../../model/messaging/failure.js';

/** A message that a channel is to submit. Never log it whole. */
export interface OutgoingMessage {
  readonly id: string;
  readonly projectId: string;
  /** E.164, or an address of the channel. */
  readonly to: string;
  /** Null if the channel needs none. */
  readonly from: string | null;
  /** Null except for e-mail. */
  readonly subject: string | null;
  readonly text: string;
  /** Null for a message of text only. */
  readonly content: StoredExtra | null;
  /** The template of which it was made. */
  readonly template: { readonly name: string; readonly language: string } | null;
  /** By which the recipient ends such messages; null if the message needs none. */
  readonly unsubscribeUrl: string | null;
  readonly validUntil: Date | null;
  /** The softphone that gets it, if a provider does not. */
  readonly softphone?: string | null;
}

/** A failure with the provider's own code. */
export interface ChannelFailure {
  readonly reason: FailureReason;
  readonly providerCode: string | null;
}

/**
 * The outcome of a submission.
 *
 * - `accepted`: the provider has it
 * - `refused`: the provider does not take it, and never will
 * - `not_submitted`: nothing reached the provider; it can be submitted again, after a second if nothing else is said
 * - `unknown`: it was submitted, and no answer was seen. It must not be submitted again.
 */
export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly provider: string; readonly providerId: string }
  | ({ readonly kind: 'refused' } & ChannelFailure)
  | { readonly kind: 'not_submitted'; readonly retryAfterMs?: number }
  /** With the id that the message has at the provider if it is there, if that is known. */
  | { readonly kind: 'unknown'; readonly provider: string | null; readonly providerId: string | null };

/** What a provider says later about a part. */
export interface DeliveryReceipt {
  /** As in the outcome of the submission: ids are unique within it. */
  readonly provider: string;
  readonly providerId: string;
  readonly state: 'sent' | 'delivered' | 'read' | 'failed';
  readonly failure: ChannelFailure | null;
  /** The addresses of the message, as far as the receipt has them: the person, and who sent to the person. */
  readonly recipient: string | null;
  readonly sender: string | null;
  /** The message, if the provider repeats what it was given; it has one part. */
  readonly message?: { readonly id: string; readonly projectId: string };
}

/** A recipient reported a message as unwanted. */
export interface Complaint {
  /** As in the outcome of the submission. */
  readonly provider: string;
  readonly providerId: string;
}

/** A part of a message that somebody sent. */
export interface IncomingPart {
  readonly channel: Channel;
  readonly provider: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Null for a message in one part. */
  readonly series: { readonly reference: number; readonly number: number; readonly total: number } | null;
  /** The provider's id of the message, if it has one: a repeat is dropped. */
  readonly providerId?: string;
  readonly content?: StoredExtra;
  /** The project that has the address, if the channel knows it. */
  readonly owner?: { readonly organizationId: string; readonly projectId: string; readonly sandbox?: boolean };
}

/** A request that a provider makes on its own, as it came. */
export interface RawNotice {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Takes what comes in. The provider gets its confirmation once the promise resolves; if it rejects, the provider
 * sends again. */
export interface ChannelListener {
  receipt(receipt: DeliveryReceipt): Promise<void>;
  complaint(complaint: Complaint): Promise<void>;
  /** The provider decided about a template. */
  templateReviewed(projectId: string, providerId: string): Promise<void>;
  incoming(part: IncomingPart): Promise<void>;
}

/** Reports to people that their messages were read. */
export interface ReadReceipts {
  /** Does nothing if the provider refuses. @param number at which the message came in @throws ProviderUnavailable */
  markRead(projectId: string, number: string, providerId: string): Promise<void>;
}

/** A way to send and receive messages, over one provider or several. */
export interface MessageChannel {
  readonly channel: Channel;
  /** Whether the project can send through it. */
  isConfigured(projectId: string): Promise<boolean>;
  /** How many messages of the carrier the text takes: what is charged. */
  segments(text: string): number;
  /** In how many parts the text is submitted. */
  parts(text: string): number;
  /** The number of messages that can be submitted now without a wait; 0 while no provider is reachable. */
  free(): number;
  /**
   * The number of messages that can be under way to the provider at once: at most as many outcomes are unknown after this
   * process dies. Absent if there is no such limit.
   */
  window?(): number;
  /** Submits one part of a message, once. Never rejects. @param part from 1 */
  submit(message: OutgoingMessage, part: number): Promise<SubmitOutcome>;
  /** Takes a notice that the provider sent on its own. Absent if it sends none. @throws NoticeError, DatabaseUnavailable */
  takeNotice?(notice: RawNotice): Promise<void>;
}
