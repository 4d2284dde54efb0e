import type { LockedMessage } from '../../data/repositories/messaging/submissions.js';
import type { MessageRow } from '../../data/rows.js';
import type { EventedMessage, MessageObject } from '../../model/objects/message.js';
import { isoTime } from '../../model/time.js';

/** A message as the API shows it. */
export function presentMessage(row: MessageRow): MessageObject {
  return {
    ...eventedMessageOf(row),
    subject: row.subject,
    text: row.body,
    content: presentExtra(row.content),
    fallback: presentFallback(row),
  };
}

function presentFallback({ fallback = null, fallback_of = null }: MessageRow): MessageObject['fallback'] {
  if (fallback === null && fallback_of === null) return null;
  return {
    channels: [...(fallback?.channels ?? [])],
    after_seconds: fallback?.after_seconds ?? null,
    message_id: fallback?.message_id ?? null,
    called: fallback?.is_called ?? false,
    error_code: fallback?.error_code ?? null,
    of: fallback_of,
  };
}

/** Without what only providers need. */
export function presentExtra(content: MessageRow['content']): MessageObject['content'] {
  if (content === null) return null;
  const { media, attachments = [], interactive, reply, reaction } = content;
  const isEmpty = media === null && interactive === null && reply === null && reaction === null;
  if (isEmpty && attachments.length === 0) return null;
  return {
    media: media && { ...media },
    attachments: attachments.map((one) => ({ ...one })),
    interactive: interactive && (structuredClone(interactive) as NonNullable<MessageObject['content']>['interactive']),
    reply: reply && { ...reply },
    reaction: reaction && { ...reaction },
  };
}

/** A message as events show it: without its text. */
export function eventedMessageOf(row: LockedMessage): EventedMessage {
  const { id, channel, direction, recipient, sender, status, segments, thread_id, sandbox, metadata } = row;
  const { broadcast_id } = row;
  if (thread_id === null) throw new Error('a message of the platform itself is shown to nobody');
  const { template_name, template_language, error_reason, provider_code } = row;
  // Each status of each message makes one: it is a plain literal because copies of groups cost as much as the rest.
  return {
    message_id: id,
    channel,
    direction,
    to: recipient,
    from: sender,
    status,
    class: row.class,
    template:
      template_name === null || template_language === null
        ? null
        : { name: template_name, language: template_language },
    segments,
    error: error_reason === null ? null : { reason: error_reason, provider_code },
    thread_id,
    broadcast_id,
    sandbox,
    metadata: { ...metadata },
    created_at: isoTime(row.created_at),
    scheduled_at: isoTime(row.scheduled_at),
    valid_until: isoTime(row.valid_until),
    sent_at: isoTime(row.sent_at),
    delivered_at: isoTime(row.delivered_at),
    read_at: isoTime(row.read_at),
    failed_at: isoTime(row.failed_at),
  };
}
