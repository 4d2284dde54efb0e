import { z } from 'zod';

/** What an organization notes of a contact, by name. The type of a value is that of its JSON. */
export type CustomFields = Readonly<Record<string, string | number | boolean>>;

export const MAX_CUSTOM_FIELDS = 50;
export const MAX_CUSTOM_TEXT = 512;

export const CUSTOM_NAME = /^[a-z][a-z0-9_]{0,63}$/;
export const CUSTOM_NAME_FAULT = 'must be 1 to 64 small letters, digits or underscores, and begin with a letter';
export const TOO_MANY_CUSTOM_FIELDS = `must be at most ${MAX_CUSTOM_FIELDS} fields`;

const name = z.string().regex(CUSTOM_NAME, CUSTOM_NAME_FAULT);
const value = z.union([z.string().max(MAX_CUSTOM_TEXT), z.number(), z.boolean()]);
const isFew = (fields: object): boolean => Object.keys(fields).length <= MAX_CUSTOM_FIELDS;

export const customFieldsSchema = z.record(name, value).refine(isFew, TOO_MANY_CUSTOM_FIELDS);

/** Changes of custom fields: null removes a field. */
export const customFieldChangesSchema = z.record(name, value.nullable()).refine(isFew, TOO_MANY_CUSTOM_FIELDS);
export type CustomFieldChanges = z.output<typeof customFieldChangesSchema>;

/** The fields after the changes; fields that no change names stay. */
export function mergeCustomFields(before: CustomFields, changes: CustomFieldChanges): CustomFields {
  const merged = Object.entries({ ...before, ...changes });
  return Object.fromEntries(merged.filter((field): field is [string, string | number | boolean] => field[1] !== null));
}
