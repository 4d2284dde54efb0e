import { z } from 'zod';
import type { ContactRow, GroupMemberRow } from '../../../core/data/rows.js';
import { isTimeZone } from '../../../core/model/calendar/opening-hours.js';
import { displayName, MAX_NAME, MAX_TAG, MAX_TAGS } from '../../../core/model/contacts/contact.js';
import {
  CUSTOM_NAME_FAULT,
  customFieldChangesSchema,
  customFieldsSchema,
  MAX_CUSTOM_FIELDS,
  TOO_MANY_CUSTOM_FIELDS,
} from '../../../core/model/contacts/custom-fields.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import { EMAIL_RULE, readEmail } from '../../../core/model/accounts/email.js';
import { isoTime } from '../../../core/model/time.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { CODE_PARAM, markCode } from '../../http/schema/schema-codes.js';

bilingual(CUSTOM_NAME_FAULT, 'يجب أن يتكوّن من 1 إلى 64 حرفًا لاتينيًّا صغيرًا أو رقمًا أو شرطة سفلية (`_`)، وأن يبدأ بحرف');
bilingual(TOO_MANY_CUSTOM_FIELDS, `يجب ألا يزيد عدد الحقول على ${MAX_CUSTOM_FIELDS}`);
const BAD_NUMBER = bilingual(
  'must be the telephone number of a person, in E.164 (+966501234567) or Saudi national form (0501234567)',
  'يجب أن يكون رقم هاتف شخص بصيغة E.164 (`+966501234567`) أو بالصيغة المحلية السعودية (`0501234567`)',
);
const BAD_EMAIL = bilingual(EMAIL_RULE.en, EMAIL_RULE.ar);
const BAD_ZONE = bilingual(
  'must be an IANA time zone such as Asia/Riyadh',
  'يجب أن يكون منطقة زمنية بصيغة IANA مثل `Asia/Riyadh`',
);

/** A number at which people can be reached, parsed to E.164: no emergency number. */
export const contactPhone = markCode(
  z
    .string()
    .meta({ examples: ['+966501234567'] })
    .transform((text, ctx) => {
      // In a query string an unencoded plus arrives as a blank.
      const number = parseNumber(text.replace(/^ (?=\d)/, '+'), { allowForeign: true });
      if (number !== null && number.kind !== 'emergency') return number.e164;
      ctx.addIssue({ code: 'custom', message: BAD_NUMBER, params: { [CODE_PARAM]: 'INVALID_PHONE_NUMBER' } });
      return z.NEVER;
    }),
  'INVALID_PHONE_NUMBER',
);

/** Parsed to lower case. */
export const contactEmail = z
  .string()
  .meta({ examples: ['reem@example.com'] })
  .transform((text, ctx) => {
    const email = readEmail(text);
    if (email !== null) return email;
    ctx.addIssue({ code: 'custom', message: BAD_EMAIL });
    return z.NEVER;
  });

const name = z.string().trim().min(1).max(MAX_NAME);
export const tagInput = z.string().trim().min(1).max(MAX_TAG);

/** What a client may say of a contact, without custom fields. */
export const contactSettings = {
  phone: contactPhone.nullable().describe('One contact of the project has it at most'),
  email: contactEmail.nullable().describe('One contact of the project has it at most'),
  name_en: name.nullable().meta({ examples: ['Reem Al-Otaibi'] }),
  name_ar: name.nullable().meta({ examples: ['ريم العتيبي'] }),
  language: z.enum(['ar', 'en']).describe('The language in which the contact is written to'),
  time_zone: z
    .string()
    .max(64)
    .refine(isTimeZone, BAD_ZONE)
    .nullable()
    .describe('IANA name; null: Asia/Riyadh')
    .meta({ examples: ['Asia/Riyadh'] }),
  tags: z.array(tagInput).max(MAX_TAGS).describe('Your own words; repeats are dropped'),
  marketing_opted_out: z
    .boolean()
    .describe(
      'Whether the contact wants no marketing (`promotional`) messages. Records the wish for all channels; absent: as it is known of the number and the address',
    ),
};
const FIELDS_EXAMPLE = { examples: [{ city: 'Riyadh', orders: 3, vip: true }] };
const FIELDS = `Your own fields by name, at most ${MAX_CUSTOM_FIELDS}: texts, numbers, \`true\` or \`false\``;
export const customFields = customFieldsSchema.describe(FIELDS).meta(FIELDS_EXAMPLE);
export const customFieldChanges = customFieldChangesSchema
  .describe(`${FIELDS}. Fields that are not named stay; null removes a field`)
  .meta(FIELDS_EXAMPLE);

export const contactObject = z
  .strictObject({
    id: idOutput,
    phone: z.string().nullable(),
    email: z.string().nullable(),
    name: z
      .string()
      .describe('The name in the language of the contact, or in the other one; without either, the number or address'),
    name_en: z.string().nullable(),
    name_ar: z.string().nullable(),
    language: z.enum(['ar', 'en']),
    time_zone: z.string().nullable(),
    tags: z.array(z.string()),
    custom_fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    marketing_opted_out: z.boolean().describe('Opted out of `promotional` messages on any channel'),
    sandbox: z.boolean(),
    created_at: timeOutput,
    updated_at: timeOutput,
  })
  .meta({ id: 'Contact' });

export function presentContact(row: ContactRow): z.output<typeof contactObject> {
  const { id, phone, email, name_en, name_ar, language, time_zone, tags, custom_fields } = row;
  return {
    ...{ id, phone, email, name: displayName(row), name_en, name_ar, language, time_zone, tags: [...tags] },
    custom_fields: { ...custom_fields },
    marketing_opted_out: row.marketing_opted_out,
    sandbox: row.sandbox,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export const groupMember = z
  .strictObject({
    contact_id: idOutput,
    name: z.string(),
    phone: z.string().nullable().describe('Null if the contact has only an e-mail address'),
    marketing_opted_out: z.boolean(),
    added_at: timeOutput,
  })
  .meta({ id: 'ContactGroupMember' });

export function presentMember(row: GroupMemberRow): z.output<typeof groupMember> {
  const { contact_id, phone, marketing_opted_out, added_at } = row;
  return { contact_id, name: displayName(row), phone, marketing_opted_out, added_at: isoTime(added_at) };
}
