import { z } from 'zod';
import { metadataSchema } from '../metadata.js';
import { CHANNELS } from '../messaging/channels.js';
import { FAILURE_REASONS } from '../messaging/failure.js';
import { FALLBACK_CHANNELS } from '../messaging/fallback.js';
import { MEDIA_KINDS } from '../messaging/extra.js';
import { MESSAGE_CLASSES, MESSAGE_DIRECTIONS, MESSAGE_STATUSES } from '../messaging/message.js';
import { idOutput, timeOutput } from './fields.js';

const line = z.string();

const file = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  url: line.nullable(),
  media_id: line.nullable().describe('Of `POST /v1/messages/media`, or the provider’s id of the file'),
  caption: line.nullable(),
  file_name: line.nullable(),
  media_type: line.nullable().describe('Null if only the provider knows it'),
});

/** What a message has beside its text. */
export const messageExtra = z
  .strictObject({
    media: file.nullable(),
    attachments: z.array(file).describe('Of an e-mail'),
    interactive: z
      .strictObject({
        header: line.nullable(),
        footer: line.nullable(),
        buttons: z.array(z.strictObject({ id: line, title: line })),
        list: z
          .strictObject({
            button: line,
            sections: z.array(
              z.strictObject({
                title: line.nullable(),
                rows: z.array(z.strictObject({ id: line, title: line, description: line.nullable() })),
              }),
            ),
          })
          .nullable(),
      })
      .nullable()
      .describe('What the recipient can choose'),
    reply: z
      .strictObject({ id: line, title: line })
      .nullable()
      .describe('What the sender of an incoming message chose'),
    reaction: z.strictObject({ message_id: idOutput.nullable(), emoji: line.describe('Empty: taken back') }).nullable(),
  })
  .describe('Files, buttons, choices and reactions; null for text only')
  .meta({ id: 'MessageContent' });

/** What happens if a message does not arrive. */
const messageFallback = z
  .strictObject({
    channels: z.array(z.enum(FALLBACK_CHANNELS)).describe('Those that are left'),
    after_seconds: z.int().nullable().describe('Null: only if the message fails'),
    message_id: idOutput.nullable().describe('The message that took over'),
    called: z.boolean().describe('Whether a call took over'),
    error_code: z.string().nullable().describe('Why a channel was passed over'),
    of: idOutput.nullable().describe('The first message of the chain, of one that took over'),
  })
  .describe('Further channels; null without any')
  .meta({ id: 'MessageFallback' });

/** A message, without its text. */
const shape = {
  message_id: idOutput,
  channel: z.enum(CHANNELS),
  direction: z.enum(MESSAGE_DIRECTIONS),
  to: z.string().meta({ examples: ['+966501234567'] }),
  from: z.string().nullable(),
  status: z.enum(MESSAGE_STATUSES),
  class: z.enum(MESSAGE_CLASSES).nullable().describe('Null for an inbound message'),
  template: z.strictObject({ name: z.string(), language: z.string() }).nullable(),
  segments: z.int().min(0).describe('What the carrier counts as messages'),
  error: z
    .strictObject({
      reason: z.enum(FAILURE_REASONS),
      provider_code: z.string().nullable().describe('The provider’s own code'),
    })
    .nullable()
    .describe('Why it failed'),
  thread_id: idOutput,
  broadcast_id: idOutput.nullable().describe('The broadcast that it belongs to'),
  sandbox: z.boolean(),
  metadata: metadataSchema,
  created_at: timeOutput,
  scheduled_at: timeOutput.nullable(),
  valid_until: timeOutput.nullable(),
  sent_at: timeOutput.nullable(),
  delivered_at: timeOutput.nullable(),
  read_at: timeOutput.nullable(),
  failed_at: timeOutput.nullable(),
};

/** A message in an event: everybody who subscribes reads it, so the text of what was sent is not in it. */
export const eventedMessage = z.strictObject(shape);

export const messageObject = z
  .strictObject({
    ...shape,
    subject: z.string().nullable().describe('Of an e-mail; otherwise null'),
    text: z.string().nullable().describe('Null once it is not kept any more'),
    content: messageExtra.nullable(),
    fallback: messageFallback.nullable(),
  })
  .meta({ id: 'Message' });

export type EventedMessage = z.output<typeof eventedMessage>;
export type MessageObject = z.output<typeof messageObject>;
