import { z } from 'zod';
import { CONSENT_CHANNELS, CONSENT_CLASSES } from './consent.js';
import { MAX_TAG } from './contact.js';
import { CUSTOM_NAME, CUSTOM_NAME_FAULT, MAX_CUSTOM_TEXT } from './custom-fields.js';

/** Conditions of a segment, with those inside others. */
export const MAX_CONDITIONS = 50;
/** How deep conditions may be inside others. */
export const MAX_DEPTH = 3;

export const TOO_MANY_CONDITIONS = `must be at most ${MAX_CONDITIONS} conditions, ${MAX_DEPTH} levels deep`;

const tag = z.strictObject({
  field: z.literal('tag'),
  op: z.enum(['has', 'has_not']),
  value: z.string().trim().min(1).max(MAX_TAG),
});
const language = z.strictObject({ field: z.literal('language'), op: z.literal('is'), value: z.enum(['ar', 'en']) });
const address = z.strictObject({ field: z.enum(['phone', 'email']), op: z.enum(['exists', 'missing']) });
const group = z.strictObject({
  field: z.literal('group'),
  op: z.enum(['in', 'not_in']),
  value: z.uuid().transform((id) => id.toLowerCase()),
});
const customName = z.string().regex(CUSTOM_NAME, CUSTOM_NAME_FAULT);
const custom = z.strictObject({
  field: z.literal('custom'),
  name: customName,
  op: z.enum(['is', 'is_not']),
  value: z.union([z.string().max(MAX_CUSTOM_TEXT), z.number(), z.boolean()]),
});
const compared = z.strictObject({
  field: z.literal('custom'),
  name: customName,
  op: z.enum(['above', 'at_least', 'below', 'at_most']),
  value: z.number(),
});
const present = z.strictObject({ field: z.literal('custom'), name: customName, op: z.enum(['exists', 'missing']) });
const consent = z.strictObject({
  field: z.literal('consent'),
  op: z.enum(['opted_in', 'opted_out', 'not_opted_out']),
  channel: z.enum(CONSENT_CHANNELS),
  class: z.enum(CONSENT_CLASSES),
});

const condition = z.union([tag, language, address, group, custom, compared, present, consent]);
export type SegmentCondition = z.output<typeof condition>;

/** Which contacts a segment has: those of which all conditions hold, or any. */
export interface SegmentRules {
  readonly match: 'all' | 'any';
  readonly conditions: readonly (SegmentCondition | SegmentRules)[];
}

const flat = z.strictObject({
  match: z.enum(['all', 'any']),
  conditions: z.array(condition).min(1).max(MAX_CONDITIONS),
});
const nested = z.strictObject({
  match: z.enum(['all', 'any']),
  conditions: z
    .array(z.union([condition, flat]))
    .min(1)
    .max(MAX_CONDITIONS),
});

export const segmentRulesSchema = z
  .strictObject({
    match: z.enum(['all', 'any']),
    conditions: z
      .array(z.union([condition, nested]))
      .min(1)
      .max(MAX_CONDITIONS),
  })
  .refine((rules) => allConditions(rules).length <= MAX_CONDITIONS, TOO_MANY_CONDITIONS);

/** Every condition, also those inside others. */
export function allConditions({ conditions }: SegmentRules): SegmentCondition[] {
  return conditions.flatMap((one) => ('conditions' in one ? allConditions(one) : [one]));
}

/** The groups that the rules name. */
export function groupsOf(rules: SegmentRules): string[] {
  return allConditions(rules).flatMap((one) => (one.field === 'group' ? [one.value] : []));
}
