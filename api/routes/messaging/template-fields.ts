import { z } from 'zod';
import { CHANNELS } from '../../../core/model/messaging/channels.js';
import {
  TEMPLATE_CATEGORIES,
  TEMPLATE_STATUSES,
  type TemplateContent,
} from '../../../core/model/messaging/template.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { MessageTemplateRow } from '../../../core/data/rows.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { phoneNumber } from '../../http/schema/schemas.js';

const PRINTABLE = bilingual('must not have control characters', 'يجب ألا يحتوي على محارف تحكم');
const NOT_BLANK = bilingual('must not be blank', 'يجب ألا يكون فارغًا');
const WEB_ADDRESS = bilingual('must be an https address', 'يجب أن يكون رابط `https`');

/** One line of text. */
export const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), PRINTABLE)
    .refine((text) => text.trim() !== '', NOT_BLANK);

export const channelName = z.enum(CHANNELS).describe('The channel');
export const templateName = line(512).describe('The name of the template');
export const languageCode = z
  .string()
  .min(2)
  .max(35)
  .meta({ examples: ['ar', 'en_US'] })
  .describe('The language of the content; one name can exist in several languages');

const button = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('QUICK_REPLY'), text: line(25) }),
  z.strictObject({
    type: z.literal('URL'),
    text: line(25),
    url: z.url({ protocol: /^https$/, error: WEB_ADDRESS }).max(2000),
  }),
  z.strictObject({ type: z.literal('PHONE_NUMBER'), text: line(25), phone_number: phoneNumber() }),
]);

/** The members of a content. */
const content = {
  body: z
    .string()
    .min(1)
    .max(1024)
    .refine((text) => text.trim() !== '', NOT_BLANK)
    .describe('The text, with the placeholders `{{1}}`, `{{2}}` …'),
  variables: z
    .array(line(1024))
    .max(99)
    .optional()
    .describe('A sample value of each placeholder of header and body, in their order'),
  otpButton: z.boolean().optional().describe('A button that copies the code; `chatapp` and AUTHENTICATION only'),
  header: line(60).nullable().optional().describe('Above the body; the subject of an e-mail'),
  footer: line(60).nullable().optional().describe('Below the body, without placeholders'),
  buttons: z.array(button).max(3).optional().describe('`chatapp` only'),
};
const category = z.enum(TEMPLATE_CATEGORIES);
const templateId = z
  .string()
  .max(128)
  .nullable()
  .optional()
  .describe('Your own reference at the provider; stored, not used');

export const newTemplate = z.strictObject({
  channel: channelName.optional().describe('Default: that of the query, otherwise `chatapp`'),
  name: templateName,
  language: languageCode,
  category,
  templateId,
  ...content,
});

export const templateReplacement = z.strictObject({
  name: templateName.optional().describe('If given, that of the path'),
  language: languageCode.optional().describe('If given, that of the query'),
  category: category.optional().describe('Default: as before'),
  templateId,
  ...content,
});

export const templateObject = z
  .strictObject({
    id: idOutput,
    channel: z.enum(CHANNELS),
    name: z.string(),
    language: z.string(),
    status: z.enum(TEMPLATE_STATUSES),
    category,
    providerId: z.string().nullable().describe('ID at the messaging provider'),
    templateId: z.string().nullable(),
    body: z.string(),
    header: z.string().nullable(),
    footer: z.string().nullable(),
    buttons: z.array(
      z.strictObject({
        type: z.string(),
        text: z.string(),
        url: z.string().optional(),
        phone_number: z.string().optional(),
      }),
    ),
    otpButton: z.boolean(),
    variables: z.array(z.string()),
    rejection_reason: z.string().nullable(),
    sandbox: z.boolean(),
    created_at: timeOutput,
    updated_at: timeOutput,
  })
  .meta({ id: 'MessageTemplate' });

export const templateUpdate = templateObject
  .pick({ name: true, language: true, status: true, category: true, providerId: true })
  .meta({ id: 'MessageTemplateUpdate' });

/** What the body says of the content; absent members are empty. */
export function contentOf(body: z.output<typeof templateReplacement>): TemplateContent {
  const { header = null, footer = null, buttons = [], variables = [], otpButton = false } = body;
  return { body: body.body, header, footer, buttons, variables, otp_button: otpButton };
}

export function presentTemplate(row: MessageTemplateRow): z.output<typeof templateObject> {
  const { id, channel, name, language, status, category, body, header, footer, variables, sandbox } = row;
  return {
    ...{ id, channel, name, language, status, category, body, header, footer, variables: [...variables], sandbox },
    providerId: row.provider_id,
    templateId: row.template_id,
    buttons: row.buttons.map((one) => ({ ...one })),
    otpButton: row.otp_button,
    rejection_reason: row.rejection_reason,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
