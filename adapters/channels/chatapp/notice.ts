import { z } from 'zod';
import { NO_EXTRA, type MediaKind, type StoredExtra } from '../../../core/model/messaging/extra.js';
import type { DeliveryReceipt } from '../../../core/ports/messaging/message-channel.js';
import { reasonOfCode } from './codes.js';

/** Which number a part of a notice is about. */
export interface NoticeChange {
  readonly businessAccountId: string;
  readonly field: string;
  readonly value: unknown;
}

const notice = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.object({ id: z.string(), changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
});

/** The changes of a notice. @returns null if it does not have the form of one */
export function changesOf(body: unknown): readonly NoticeChange[] | null {
  const { data } = notice.safeParse(body);
  if (!data) return null;
  return data.entry.flatMap(({ id, changes }) => changes.map((change) => ({ ...change, businessAccountId: id })));
}

/** The ids of the provider's accounts in a notice that nobody has checked yet. */
export function businessesIn(body: unknown): readonly string[] {
  const { data } = z.object({ entry: z.array(z.object({ id: z.string().max(64) })) }).safeParse(body);
  return [...new Set(data?.entry.map(({ id }) => id) ?? [])];
}

const file = z.object({
  id: z.string(),
  mime_type: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
});
const choice = z.object({ id: z.string(), title: z.string() });

const incoming = z.object({
  id: z.string().min(1),
  from: z.string().regex(/^\d{5,15}$/),
  type: z.string(),
  text: z.object({ body: z.string() }).optional(),
  button: z.object({ text: z.string(), payload: z.string().optional() }).optional(),
  interactive: z.object({ button_reply: choice.optional(), list_reply: choice.optional() }).optional(),
  reaction: z.object({ message_id: z.string(), emoji: z.string().default('') }).optional(),
  location: z
    .object({
      latitude: z.number(),
      longitude: z.number(),
      name: z.string().optional(),
      address: z.string().optional(),
    })
    .optional(),
  image: file.optional(),
  video: file.optional(),
  audio: file.optional(),
  document: file.optional(),
  sticker: file.optional(),
});

const status = z.object({
  id: z.string().min(1),
  status: z.string(),
  recipient_id: z.string().optional(),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(z.object({ code: z.number() })).optional(),
});

const messagesValue = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  messages: z.array(incoming).optional(),
  statuses: z.array(status).optional(),
});
export type MessagesValue = z.output<typeof messagesValue>;

/** What a change of the field `messages` has. @returns null if it does not have the form of one */
export function readMessages(value: unknown): MessagesValue | null {
  return messagesValue.safeParse(value).data ?? null;
}

const STATES: Readonly<Record<string, DeliveryReceipt['state']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
};

/** @returns null for a status that says nothing about the delivery */
export function receiptOf(given: z.output<typeof status>, provider: string, projectId: string): DeliveryReceipt | null {
  const state = STATES[given.status];
  if (state === undefined) return null;
  const code = given.errors?.[0]?.code ?? null;
  const ours = z.uuid().safeParse(given.biz_opaque_callback_data).data;
  return {
    ...{ provider, providerId: given.id, state, sender: null },
    recipient: given.recipient_id === undefined ? null : `+${given.recipient_id}`,
    failure:
      state === 'failed'
        ? {
            reason: code === null ? 'provider_fault' : reasonOfCode(code),
            providerCode: code === null ? null : `${code}`,
          }
        : null,
    ...(ours !== undefined && { message: { id: ours, projectId } }),
  };
}

/** The text of a message that came in, and what it has beside it. */
export function contentOf(message: z.output<typeof incoming>): {
  readonly text: string;
  readonly content?: StoredExtra;
} {
  const { text, button, interactive, reaction, location } = message;
  const reply = interactive?.button_reply ?? interactive?.list_reply;
  if (text) return { text: text.body };
  if (button) {
    return { text: button.text, content: { ...NO_EXTRA, reply: { id: button.payload ?? '', title: button.text } } };
  }
  if (reply) return { text: reply.title, content: { ...NO_EXTRA, reply } };
  if (reaction) {
    const { emoji, message_id } = reaction;
    return { text: emoji, content: { ...NO_EXTRA, reaction: { message_id: null, emoji }, target: message_id } };
  }
  if (location) {
    const { latitude, longitude, name, address } = location;
    return { text: [name, address, `${latitude}, ${longitude}`].filter((one) => one !== undefined).join('\n') };
  }
  for (const kind of ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly MediaKind[]) {
    const { id, mime_type, caption = null, filename } = message[kind] ?? { id: null };
    if (id === null) continue;
    const media = {
      kind,
      url: null,
      media_id: id,
      caption,
      file_name: filename ?? null,
      media_type: mime_type ?? null,
    };
    return { text: caption ?? '', content: { ...NO_EXTRA, media } };
  }
  return { text: '' };
}

const templateValue = z.object({ message_template_id: z.union([z.string(), z.number()]) });

/** The provider's id of the template that a change is about. @returns null if it does not have the form of one */
export function templateIn(value: unknown): string | null {
  const { data } = templateValue.safeParse(value);
  return data ? String(data.message_template_id) : null;
}
