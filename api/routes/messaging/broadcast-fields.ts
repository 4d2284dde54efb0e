import { z } from 'zod';
import { CUSTOM_NAME } from '../../../core/model/contacts/custom-fields.js';
import { MAX_BROADCAST_NAME, MAX_RATE_PER_MINUTE, MAX_VARIANTS } from '../../../core/model/broadcasts/broadcast.js';
import { PERSON_FIELDS, type VariableSource } from '../../../core/model/broadcasts/variables.js';
import { parseWallTime } from '../../../core/model/broadcasts/wall-time.js';
import { CHANNELS } from '../../../core/model/messaging/channels.js';
import { MESSAGE_CLASSES } from '../../../core/model/messaging/message.js';
import type { NewBroadcast } from '../../../core/services/broadcasts/create.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { idInput, metadata, timeInput } from '../../http/schema/schemas.js';
import { languageCode, templateName } from './template-fields.js';

const BAD_FIELD = bilingual(
  'must be name, name_ar, name_en, phone, email, language, or custom. and the name of a custom field',
  'يجب أن يكون `name` أو `name_ar` أو `name_en` أو `phone` أو `email` أو `language`، أو `custom.` مع اسم حقل خاص',
);
const ONE_SOURCE = bilingual('needs either value or field', 'يتطلب إما `value` أو `field`');
const DEFAULT_OF_FIELD = bilingual('goes with field', 'يُستخدم مع `field`');
const ONE_CONTENT = bilingual('needs either template or variants', 'يتطلب إما `template` أو `variants`');
const ONE_TIME = bilingual('cannot go with scheduled_at', 'لا يجتمع مع `scheduled_at`');
const BAD_WALL_TIME = bilingual(
  'must be a date and time without an offset, such as 2026-12-01T10:00',
  'يجب أن يكون تاريخًا ووقتًا من دون فرق التوقيت، مثل `2026-12-01T10:00`',
);

const isField = (text: string): boolean =>
  PERSON_FIELDS.some((known) => known === text) ||
  (text.startsWith('custom.') && CUSTOM_NAME.test(text.slice('custom.'.length)));

const variable = z
  .strictObject({
    value: z.string().max(1024).optional().describe('The same for all'),
    field: z.string().refine(isField, BAD_FIELD).optional().describe('Something of the recipient'),
    default: z
      .string()
      .max(1024)
      .optional()
      .describe('For recipients who have no such value. Without it, they are skipped'),
  })
  .superRefine(({ value, field, default: otherwise }, ctx) => {
    if ((value === undefined) === (field === undefined)) ctx.addIssue({ code: 'custom', message: ONE_SOURCE });
    if (otherwise !== undefined && field === undefined)
      ctx.addIssue({ code: 'custom', path: ['default'], message: DEFAULT_OF_FIELD });
  });

const template = z.strictObject({
  name: templateName,
  language: languageCode,
  variables: z.array(variable).max(99).default([]).describe('Where the values of the placeholders come from'),
});

const variant = z.strictObject({
  template,
  weight: z.int().min(1).max(100).default(1).describe('Its share of the recipients, relative to the other weights'),
});

export const newBroadcast = z
  .strictObject({
    name: z.string().trim().min(1).max(MAX_BROADCAST_NAME),
    channel: z.enum(CHANNELS),
    from: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .optional()
      .describe('An approved sender. Default: for each recipient, as for a message'),
    class: z.enum(MESSAGE_CLASSES).optional().describe('Default: that of the template, which it must agree with'),
    template: template.optional(),
    variants: z
      .array(variant)
      .min(2)
      .max(MAX_VARIANTS)
      .optional()
      .describe('For a comparison (A/B): each recipient gets one of them'),
    group_id: idInput
      .optional()
      .describe('The members of this contact group are the recipients. Without it, upload a file of recipients'),
    scheduled_at: timeInput().optional().describe('When it begins, at most 90 days ahead. Default: when you start it'),
    local_time: z
      .string()
      .refine((text) => parseWallTime(text) !== null, BAD_WALL_TIME)
      .optional()
      .describe('In place of `scheduled_at`: when it is sent, by the clock of each recipient')
      .meta({ examples: ['2026-12-01T10:00'] }),
    rate_per_minute: z
      .int()
      .min(1)
      .max(MAX_RATE_PER_MINUTE)
      .optional()
      .describe('At most as many messages a minute. Default: as fast as the provider takes them'),
    track_links: z
      .boolean()
      .default(false)
      .describe('Replaces the web addresses of the messages by short ones, and counts their clicks'),
    metadata: metadata.default({}).describe('Each message has it, too'),
  })
  .superRefine((body, ctx) => {
    if ((body.template === undefined) === (body.variants === undefined))
      ctx.addIssue({ code: 'custom', message: ONE_CONTENT });
    if (body.scheduled_at !== undefined && body.local_time !== undefined)
      ctx.addIssue({ code: 'custom', path: ['local_time'], message: ONE_TIME });
  });

export function toNewBroadcast(body: z.output<typeof newBroadcast>): NewBroadcast {
  const variants = body.variants ?? (body.template ? [{ template: body.template, weight: 1 }] : []);
  return {
    ...{ name: body.name, channel: body.channel, from: body.from ?? null, class: body.class ?? null },
    variants: variants.map(({ template: { name, language, variables }, weight }) => ({
      ...{ template: { name, language }, weight, variables: variables.map(sourceOf) },
    })),
    ...{ groupId: body.group_id ?? null, scheduledAt: body.scheduled_at ?? null, localTime: body.local_time ?? null },
    ...{ ratePerMinute: body.rate_per_minute ?? null, tracksLinks: body.track_links, metadata: body.metadata },
  };
}

function sourceOf(given: z.output<typeof variable>): VariableSource {
  if (given.field === undefined) return { value: given.value ?? '' };
  // The schema has checked it.
  return { field: given.field as Extract<VariableSource, { field: string }>['field'], default: given.default ?? null };
}
