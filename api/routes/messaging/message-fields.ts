import { z } from 'zod';
import { CHANNELS, type Channel } from '../../../core/model/messaging/channels.js';
import { MESSAGE_CLASSES } from '../../../core/model/messaging/message.js';
import { FALLBACK_CHANNELS } from '../../../core/model/messaging/fallback.js';
import { UNKNOWN_VISITOR } from '../../../core/services/messaging/webchat/known-visitor.js';
import { isId } from '../../../core/model/ids.js';
import { detailOf, HatifError, invalidField, validationError } from '../../../core/model/errors/index.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { metadata, recipient, timeInput } from '../../http/schema/schemas.js';
import { newInteractive, newMedia, newReaction, toInteractive, toMedia } from './message-content.js';
import { languageCode, line, templateName } from './template-fields.js';
import type { MessageContent } from '../../../core/services/messaging/content.js';
import type { ExplainedMessage } from '../../../core/services/messaging/explain.js';
import type { NewMessage } from '../../../core/services/messaging/send.js';

const ONE_CONTENT = bilingual(
  'needs one of text, template, media and reaction',
  'يتطلب واحدًا من `text` و`template` و`media` و`reaction`',
);
const BAD_CHAIN = bilingual(
  'must name other channels than chatapp or sms of the message, each once, and voice last',
  'يجب أن يسمّي قنوات غير قناة الرسالة (`chatapp` أو `sms`)، كلًّا منها مرة واحدة، و`voice` آخرها',
);
const NEEDS_WORDS = bilingual('needs text or template', 'يتطلب `text` أو `template`');
const NEEDS_FALLBACK = bilingual('needs fallback', 'يتطلب `fallback`');
const NEEDS_TEXT = bilingual('needs text', 'يتطلب `text`');
const SUBJECT = bilingual(
  'is required for an e-mail with text, and only possible there',
  'مطلوب في رسالة البريد الإلكتروني التي لها `text`، وغير متاح في غيرها',
);
const ONE_FILE = bilingual('must have one file on this channel', 'يجب أن يحتوي على ملف واحد في هذه القناة');
const NOT_BLANK = bilingual('must not be blank', 'يجب ألا يكون فارغًا');

const filledTemplate = z.strictObject({
  name: templateName,
  language: languageCode,
  variables: z.array(z.string().max(1024)).max(99).default([]).describe('The values of the placeholders'),
});

export const newMessage = z
  .strictObject({
    channel: z.enum(CHANNELS),
    to: recipient(true).describe(
      'A telephone number, on `sms` also the extension of an agent, an e-mail address, or on `webchat` a visitor: `with` of the conversation',
    ),
    from: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .optional()
      .describe('An approved sender. Default: the one of the conversation, otherwise one that suits the class'),
    text: z
      .string()
      .min(1)
      .max(4096)
      .refine((text) => text.trim() !== '', NOT_BLANK)
      .optional(),
    subject: line(255).optional().describe('Of an e-mail, and required for one without a template'),
    template: filledTemplate.optional(),
    media: newMedia.optional().describe('A file, on `chatapp`; up to ten beside the `text` of an e-mail'),
    interactive: newInteractive.optional().describe('What the recipient can choose below `text`; `chatapp` only'),
    reaction: newReaction.optional().describe('To a message of the conversation; `chatapp` only'),
    class: z
      .enum(MESSAGE_CLASSES)
      .optional()
      .describe('Default: that of the template; `service` for a text without one'),
    scheduled_at: timeInput().optional().describe('When it is sent, at most 90 days ahead'),
    valid_until: timeInput()
      .optional()
      .describe('When it is given up if the recipient cannot be reached. Default: two days after it is sent'),
    metadata: metadata.default({}),
    track_links: z
      .boolean()
      .default(false)
      .describe('Replaces the web addresses of the text by short ones, and counts their clicks'),
    fallback: z
      .array(z.enum(FALLBACK_CHANNELS))
      .min(1)
      .max(2)
      .optional()
      .describe(
        'Channels that are tried in this order if the message does not arrive. `voice` calls and speaks the text',
      ),
    fallback_after_seconds: z
      .int()
      .min(10)
      .max(86_400)
      .optional()
      .describe('How long a delivery is awaited. Default: the next channel is tried only if the message fails'),
  })
  .superRefine(({ channel, subject, text, template, media, interactive, reaction, fallback = [], ...rest }, ctx) => {
    const isChain =
      new Set([channel, ...fallback]).size === fallback.length + 1 && !fallback.slice(0, -1).includes('voice');
    if (fallback.length > 0 && (!isChain || (channel !== 'chatapp' && channel !== 'sms')))
      ctx.addIssue({ code: 'custom', path: ['fallback'], message: BAD_CHAIN });
    if (fallback.length > 0 && text === undefined && template === undefined)
      ctx.addIssue({ code: 'custom', path: ['fallback'], message: NEEDS_WORDS });
    if (rest.fallback_after_seconds !== undefined && fallback.length === 0)
      ctx.addIssue({ code: 'custom', path: ['fallback_after_seconds'], message: NEEDS_FALLBACK });
    const isMail = channel === 'email';
    const given = [text, template, isMail ? undefined : media, reaction].filter((one) => one !== undefined);
    if (isMail && media !== undefined && text === undefined)
      ctx.addIssue({ code: 'custom', path: ['media'], message: NEEDS_TEXT });
    if (!isMail && media !== undefined && media.length > 1)
      ctx.addIssue({ code: 'custom', path: ['media'], message: ONE_FILE });
    if (given.length !== 1) ctx.addIssue({ code: 'custom', message: ONE_CONTENT });
    if (interactive !== undefined && text === undefined)
      ctx.addIssue({ code: 'custom', path: ['interactive'], message: NEEDS_TEXT });
    const needsSubject = channel === 'email' && text !== undefined;
    if (needsSubject !== (subject !== undefined)) ctx.addIssue({ code: 'custom', path: ['subject'], message: SUBJECT });
  });

/** @throws HatifError INVALID_PHONE_NUMBER, VALIDATION_ERROR for a recipient that the channel cannot reach */
export function toNewMessage(body: z.output<typeof newMessage>): NewMessage {
  const { channel, to, from = null, scheduled_at, valid_until } = body;
  assertRecipient(channel, to);
  if (body.fallback && !to.startsWith('+')) throw validationError([detailOf('fallback', NEEDS_NUMBER)]);
  return {
    ...{ channel, to, from, class: body.class ?? null, metadata: body.metadata },
    content: contentOf(body),
    tracksLinks: body.track_links,
    ...(body.fallback && {
      fallback: { channels: body.fallback, afterSeconds: body.fallback_after_seconds ?? null },
    }),
    scheduledAt: scheduled_at ?? null,
    validUntil: valid_until ?? null,
  };
}

function contentOf(body: z.output<typeof newMessage>): MessageContent {
  const { text = '', subject = null, template, media, interactive, reaction } = body;
  if (template) return { template };
  if (media) return { text: text || (media[0]?.caption ?? ''), subject, extra: toMedia(media) };
  if (interactive) return { text, subject, extra: toInteractive(interactive) };
  if (reaction) {
    const { message_id: messageId, emoji } = reaction;
    return { text: emoji, subject, extra: { reaction: { messageId, emoji } } };
  }
  return { text, subject, extra: null };
}

const NEEDS_LANGUAGE = bilingual('needs language', 'يتطلب `language`');

/** The same as query parameters, without what no rule looks at. */
export const explainedMessage = z
  .strictObject({
    channel: z.enum(CHANNELS),
    to: recipient(true).describe(
      'A telephone number, on `sms` also the extension of an agent, an e-mail address, or on `webchat` a visitor: `with` of the conversation',
    ),
    from: z.string().trim().min(1).max(254).optional(),
    class: z.enum(MESSAGE_CLASSES).optional(),
    template: templateName.optional(),
    language: languageCode.optional().describe('Of the template'),
    scheduled_at: timeInput().optional(),
  })
  .superRefine(({ template, language }, ctx) => {
    if (template !== undefined && language === undefined)
      ctx.addIssue({ code: 'custom', path: ['template'], message: NEEDS_LANGUAGE });
  });

/** @throws as {@link toNewMessage} does */
export function toExplainedMessage(query: z.output<typeof explainedMessage>): ExplainedMessage {
  const { channel, to, from = null, template, language, scheduled_at } = query;
  assertRecipient(channel, to);
  return {
    ...{ channel, to, from, class: query.class ?? null, scheduledAt: scheduled_at ?? null },
    template: template === undefined || language === undefined ? null : { name: template, language },
  };
}

function assertRecipient(channel: Channel, to: string): void {
  const isAddress = to.includes('@');
  const isNumber = to.startsWith('+');
  // An emergency number has no international form.
  const isElse = !isNumber && !isAddress && !isId(to);
  if (isElse && channel !== 'sms') throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
  if ((channel === 'webchat') !== isId(to)) throw invalidField('to', channel === 'webchat' ? UNKNOWN_VISITOR : VISITOR);
  if (channel === 'email' && !isAddress) throw validationError([detailOf('to', NO_ADDRESS)]);
  if ((channel === 'sms' || channel === 'chatapp') && isAddress) {
    throw new HatifError('INVALID_PHONE_NUMBER', { field: 'to' });
  }
}

const NEEDS_NUMBER = {
  en: 'needs a telephone number as to',
  ar: 'يتطلب أن يكون `to` رقم هاتف',
};
const NO_ADDRESS = {
  en: 'must be an e-mail address such as name@example.com',
  ar: 'يجب أن يكون عنوان بريد إلكتروني مثل `name@example.com`',
};
const VISITOR = {
  en: 'is a visitor of a web page, who is reached on the channel webchat only',
  ar: 'هو زائر صفحة ويب، ولا تصل إليه الرسائل إلا عبر القناة `webchat`',
};
