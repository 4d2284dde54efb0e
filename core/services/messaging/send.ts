import type { Messages } from '../../data/repositories/messaging/messages.js';
import type { MessageRow } from '../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { FallbackChannel } from '../../model/messaging/fallback.js';
import { NO_EXTRA, type StoredExtra, type TemplateValues } from '../../model/messaging/extra.js';
import type { MessageClass } from '../../model/messaging/message.js';
import { CHAT_KEPT_MS } from '../../model/messaging/webchat.js';
import type { Clock } from '../../ports/clock.js';
import type { MessageChannel } from '../../ports/messaging/message-channel.js';
import type { ChannelAccess, ChannelUser } from './channel-access.js';
import type { MessageGate } from './gate.js';
import type { MessagePrices } from './prices.js';
import type { ChooseSender } from './choose-sender.js';
import { verbOf, type MessageContent, type MessageTexts, type MessageWords } from './content.js';
import type { ResolveMedia } from './files/resolve-media.js';
import type { SoftphoneRecipients } from './softphones/recipients.js';
import type { MessageShortener, ShortLinks } from './links/short-links.js';
import type { StoreMessages } from './store-messages.js';

export interface NewMessage {
  /** Chosen by the sender, if a repetition must not make another message. */
  readonly id?: string;
  /** What a softphone shows as the sender, in place of one that carriers know. */
  readonly shownAs?: string;
  readonly channel: Channel;
  readonly to: string;
  readonly from: string | null;
  readonly content: MessageContent;
  readonly class: MessageClass | null;
  readonly scheduledAt: Date | null;
  readonly validUntil: Date | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Further channels, if it does not arrive. */
  readonly fallback?: NewFallback;
  /** Whether its web addresses are replaced by short ones whose clicks are counted. */
  readonly tracksLinks?: boolean;
}

export interface NewFallback {
  readonly channels: readonly FallbackChannel[];
  /** Null: the next one is tried only if the message fails. */
  readonly afterSeconds: number | null;
  /** The first message of the chain, if this one is a further one. */
  readonly of?: string;
}

/** The key or member that sends. */
export interface MessageWriter extends ChannelUser {
  readonly organizationId: string;
  /** Null: the platform answers by itself. */
  readonly keyId: string | null;
  readonly requestId: string;
  /** The agent who writes, if the writer sees own conversations only. */
  readonly agent: string | null;
}

export interface SendMessageOptions {
  readonly messages: Messages;
  readonly texts: MessageTexts;
  readonly access: Pick<ChannelAccess, 'assert'>;
  readonly channels: (channel: Channel, sandbox: boolean) => MessageChannel | null;
  /** Which recipients of SMS are softphones, and what reaches those. */
  readonly recipients: Pick<SoftphoneRecipients, 'of'>;
  readonly softphone: Pick<MessageChannel, 'segments' | 'parts'>;
  readonly senders: ChooseSender;
  readonly gate: MessageGate;
  readonly prices: MessagePrices;
  readonly shortLinks: Pick<ShortLinks, 'begin'>;
  readonly media: ResolveMedia;
  readonly store: Pick<StoreMessages, 'store'>;
  readonly clock: Clock;
  /** A message is due. */
  readonly onDue: (message: Pick<MessageRow, 'channel' | 'sandbox' | 'softphone'>) => void;
  readonly chats: { announce(address: string): void };
}

export const MOST_SEGMENTS = 10;
const DAY_MS = 86_400_000;
/** How long a message may wait for its recipient unless the client says otherwise. */
export const VALID_MS = 2 * DAY_MS;
const LONGEST_SCHEDULE_MS = 90 * DAY_MS;

/** Accepts messages: checks them, holds their price, and stores them for the process that submits them. */
export class SendMessage {
  constructor(private readonly options: SendMessageOptions) {}

  /**
   * Stores nothing if it throws.
   * @throws HatifError, in this order: INVALID_PHONE_NUMBER for an extension that nobody has, what ChannelAccess.assert
   * throws, VALIDATION_ERROR, what the gate throws,
   * MESSAGE_VELOCITY_EXCEEDED, SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS
   */
  async send(message: NewMessage, writer: MessageWriter): Promise<MessageRow> {
    const { messages, access, channels, texts, senders, gate, prices, store, clock, onDue, chats } = this.options;
    const { channel, to } = message;
    const softphone = await softphoneOf(this.options.recipients, message, writer);
    if ('template' in message.content) await access.assert(channel, 'templates', writer);
    await access.assert(channel, verbOf(message.content), writer, softphone !== null);
    for (const further of message.fallback?.channels ?? []) {
      if (further !== 'voice') await access.assert(further, 'send', writer);
    }
    const provider = softphone === null ? channels(channel, writer.sandbox) : this.options.softphone;
    const now = clock.now();
    const { dueAt, validUntil } = times(message, now);
    const shortener = message.tracksLinks === true ? this.options.shortLinks.begin() : null;
    const { text, subject, category, values } = await readShortened(texts, message, writer, shortener);
    const of = message.class ?? category ?? 'service';
    if (category !== null && of !== category) throw invalidField('class', OTHER_CLASS);
    await this.#checkMedia(message, writer);
    const extra = await this.#extraOf(message, values, writer);
    const segments = provider?.segments(text) ?? 1;
    if (segments > MOST_SEGMENTS) throw invalidField('text', TOO_LONG);
    const thread = await messages.threadWith(writer, channel, to);
    senders.assertOwn(thread, writer.agent);
    const shown = softphone === null ? undefined : message.shownAs;
    const sender = shown ?? (await senders.choose(message, of, thread, writer));
    const { organizationId, projectId, sandbox } = writer;
    const kind = { isScheduled: message.scheduledAt !== null, isTemplate: 'template' in message.content };
    await gate.admit({ organizationId, projectId, sandbox, channel, to, class: of, at: dueAt, ...kind });
    // What no carrier has is free, as calls inside are.
    const priced = { ...writer, channel, recipient: to, segments, at: now };
    const amount = softphone === null ? await prices.amount(priced) : 0;
    const content = await this.#withFiles(message, extra, writer);
    const owner = { organization_id: organizationId, project_id: projectId, sandbox };
    const template = 'template' in message.content ? message.content.template : null;
    const id = message.id ?? newId();
    const row = await store.store({
      row: {
        ...owner,
        ...{ id, channel, direction: 'outbound', recipient: to, sender },
        ...{
          class: of,
          status: 'queued',
          body: text,
          subject,
          content,
          segments,
          parts: provider?.parts(text) ?? 1,
          amount,
        },
        ...{ template_name: template?.name ?? null, template_language: template?.language ?? null },
        ...{ error_reason: null, provider_code: null, metadata: message.metadata, agent: writer.agent },
        ...{ broadcast_id: null, broadcast_variant: null },
        ...{ created_by_key: writer.keyId, request_id: writer.requestId, scheduled_at: message.scheduledAt },
        ...{ valid_until: validUntil, due_at: dueAt, claimed_at: null, created_at: now },
        ...{ sent_at: null, delivered_at: null, read_at: null, failed_at: null },
        ...fallbackOf(message.fallback, dueAt, validUntil),
        softphone,
      },
      links: shortener?.rows(id) ?? [],
    });
    if (channel === 'webchat') chats.announce(to);
    if (dueAt <= now) onDue(row);
    return row;
  }

  /** @throws HatifError VALIDATION_ERROR */
  async #checkMedia({ channel, content }: NewMessage, writer: MessageWriter): Promise<void> {
    if ('text' in content && content.extra !== null && 'media' in content.extra)
      await this.options.media.check(channel, content.extra.media, writer);
  }

  /** Stores the files of a message: after all other checks, because they may have to be fetched. */
  async #withFiles(
    { channel, content }: NewMessage,
    extra: StoredExtra | null,
    writer: MessageWriter,
  ): Promise<StoredExtra | null> {
    if (!('text' in content) || content.extra === null || !('media' in content.extra)) return extra;
    const files = await this.options.media.resolve(channel, content.extra.media, { ...writer, requestId: null });
    return channel === 'email' ? { ...NO_EXTRA, attachments: files } : { ...NO_EXTRA, media: files[0] ?? null };
  }

  /** @throws HatifError VALIDATION_ERROR for a reaction to a message that the person does not have, or did not send */
  async #extraOf(
    { channel, to, content }: NewMessage,
    template: TemplateValues | null,
    { projectId, sandbox }: MessageWriter,
  ): Promise<StoredExtra | null> {
    if (!('text' in content)) return channel === 'chatapp' ? { ...NO_EXTRA, template } : null;
    const { extra } = content;
    if (extra === null) return null;
    if ('media' in extra) return NO_EXTRA;
    if ('interactive' in extra) return { ...NO_EXTRA, ...extra };
    const { messageId, emoji } = extra.reaction;
    const target = await this.options.messages.inConversation({ projectId, sandbox }, channel, to, messageId);
    if (target === null) throw invalidField('reaction.message_id', OTHER_MESSAGE);
    return { ...NO_EXTRA, reaction: { message_id: messageId, emoji }, target };
  }
}

/**
 * The softphone that gets a message; null if a provider does. The sandbox has none.
 * @throws HatifError INVALID_PHONE_NUMBER
 */
export async function softphoneOf(
  recipients: Pick<SoftphoneRecipients, 'of'>,
  { channel, to }: Pick<NewMessage, 'channel' | 'to'>,
  { projectId, sandbox }: Pick<MessageWriter, 'projectId' | 'sandbox'>,
): Promise<string | null> {
  if (channel !== 'sms' || sandbox) return null;
  const softphone = await recipients.of(projectId, to);
  if (softphone === null && !to.startsWith('+')) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
  return softphone;
}

/**
 * The words of a message with short addresses. A template of the chat application is text that its provider has approved:
 * there only the values can change.
 */
async function readShortened(
  texts: MessageTexts,
  { channel, content }: NewMessage,
  writer: MessageWriter,
  shortener: MessageShortener | null,
): Promise<MessageWords> {
  if (shortener === null) return texts.read(channel, content, writer);
  if (channel !== 'chatapp' || 'text' in content) {
    const words = await texts.read(channel, content, writer);
    return { ...words, text: shortener.shorten(words.text) };
  }
  const { template } = content;
  const variables = template.variables?.map((value) => shortener.shorten(value)) ?? null;
  return texts.read(channel, { template: { ...template, variables } }, writer);
}

/** How the next channel is stored. One that is tried only after a failure waits beyond the validity. */
function fallbackOf(fallback: NewFallback | undefined, dueAt: Date, validUntil: Date): Partial<MessageRow> {
  if (!fallback) return {};
  const { channels, afterSeconds, of } = fallback;
  const at = afterSeconds === null ? validUntil : new Date(dueAt.getTime() + afterSeconds * 1_000);
  return {
    ...(of !== undefined && { fallback_of: of }),
    ...(channels.length > 0 && {
      fallback: { channels, after_seconds: afterSeconds, message_id: null, is_called: false, error_code: null },
      fallback_at: at,
    }),
  };
}

/** @throws HatifError VALIDATION_ERROR */
function times(
  { channel, scheduledAt, validUntil }: Pick<NewMessage, 'channel' | 'scheduledAt' | 'validUntil'>,
  now: Date,
): { readonly dueAt: Date; readonly validUntil: Date } {
  if (scheduledAt !== null && (scheduledAt <= now || scheduledAt.getTime() > now.getTime() + LONGEST_SCHEDULE_MS))
    throw invalidField('scheduled_at', BAD_SCHEDULE);
  const dueAt = scheduledAt ?? now;
  if (validUntil !== null && (validUntil <= dueAt || validUntil.getTime() > dueAt.getTime() + LONGEST_SCHEDULE_MS))
    throw invalidField('valid_until', BAD_VALIDITY);
  const validMs = channel === 'webchat' ? CHAT_KEPT_MS : VALID_MS;
  return { dueAt, validUntil: validUntil ?? new Date(dueAt.getTime() + validMs) };
}

export const OTHER_CLASS: Phrase = { en: 'is not that of the template', ar: 'يختلف عن فئة القالب' };
const OTHER_MESSAGE: Phrase = {
  en: 'is not a message of the conversation with this person',
  ar: 'ليس رسالة في المحادثة مع هذا الشخص',
};
const TOO_LONG: Phrase = { en: 'takes more than 10 messages of SMS', ar: 'يحتاج إلى أكثر من 10 رسائل نصية' };
const BAD_SCHEDULE: Phrase = {
  en: 'must be in the future, by at most 90 days',
  ar: 'يجب أن يكون في المستقبل بما لا يزيد على 90 يومًا',
};
const BAD_VALIDITY: Phrase = {
  en: 'must be after the time of sending, by at most 90 days',
  ar: 'يجب أن يكون بعد وقت الإرسال بما لا يزيد على 90 يومًا',
};
