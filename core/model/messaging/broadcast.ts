import type { CustomFields } from '../contacts/custom-fields.js';

/**
 * `draft → scheduled → running ⇄ paused → completed | cancelled`. A draft without a time is running as soon as it is
 * started, and a retry makes a completed one run again.
 */
export const BROADCAST_STATUSES = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled'] as const;
export type BroadcastStatus = (typeof BROADCAST_STATUSES)[number];

/** What has become of a recipient: from `queued` on, of the recipient's message. */
export const RECIPIENT_STATUSES = [
  ...(['waiting', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped', 'cancelled'] as const),
];
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

/** Why a recipient gets no message. */
export const SKIP_REASONS = [
  ...(['invalid_address', 'duplicate', 'no_address', 'missing_variable', 'text_too_long', 'opted_out'] as const),
  ...(['quiet_hours', 'destination', 'sandbox_destination', 'refused', 'erased'] as const),
];
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Why the platform itself has paused or cancelled a broadcast. */
export const BROADCAST_PROBLEMS = [
  ...(['insufficient_credits', 'spend_cap', 'no_sender', 'channel', 'group_deleted', 'fault'] as const),
];
export type BroadcastProblem = (typeof BROADCAST_PROBLEMS)[number];

/** Variants are named by letters. */
export const MAX_VARIANTS = 5;
export const MAX_BROADCAST_NAME = 100;
export const MAX_RATE_PER_MINUTE = 60_000;
/** Broadcasts of one kind, live or sandbox, of a project that are neither completed nor cancelled. */
export const MAX_UNFINISHED_BROADCASTS = 100;

export const PERSON_FIELDS = ['name', 'name_ar', 'name_en', 'phone', 'email', 'language'] as const;
export type PersonField = (typeof PERSON_FIELDS)[number];

/** Where the value of a placeholder comes from: the same for all, or something of the recipient. */
export type VariableSource =
  | { readonly value: string }
  /** `custom.city` is a custom field. Without the default, a recipient who has no such value is skipped. */
  | { readonly field: PersonField | `custom.${string}`; readonly default: string | null };

/** The texts of a template as they were when a broadcast began. */
export interface KeptTemplate {
  readonly body: string;
  readonly header: string | null;
  readonly footer: string | null;
}

/** One of the messages that a broadcast tries. */
export interface BroadcastVariant {
  readonly template: { readonly name: string; readonly language: string };
  readonly variables: readonly VariableSource[];
  /** Its share of the recipients, relative to the weights of the others. */
  readonly weight: number;
  /** Null until the broadcast is started. */
  readonly kept: KeptTemplate | null;
}

/** What a broadcast knows of a recipient. */
export interface BroadcastPerson {
  readonly phone: string | null;
  readonly email: string | null;
  readonly name_en: string | null;
  readonly name_ar: string | null;
  readonly language: 'ar' | 'en';
  readonly custom_fields: CustomFields;
}

/** `A` for the first variant. */
export function variantKey(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

/** The index of a variant; null for a name that no variant has. */
export function variantIndex(key: string): number | null {
  const index = key.length === 1 ? key.charCodeAt(0) - 'A'.charCodeAt(0) : -1;
  return index >= 0 && index < MAX_VARIANTS ? index : null;
}

/**
 * Deals the recipients out: of any run of them, each variant gets its share, and the same number always the same one.
 * @param number the place of the recipient, from 1
 * @returns the index of the variant
 */
export function variantOf(weights: readonly number[], number: number): number {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  // The golden ratio spreads consecutive numbers evenly over the shares.
  const place = ((number * 0.618_033_988_749_895) % 1) * sum;
  let end = 0;
  const found = weights.findIndex((weight) => place < (end += weight));
  return found === -1 ? weights.length - 1 : found;
}

/** The values that variables take from a person, by field: what a broadcast keeps of its recipients. */
export function fieldsOf(
  person: BroadcastPerson,
  variants: readonly Pick<BroadcastVariant, 'variables'>[],
): PersonValues {
  const sources = variants.flatMap(({ variables }) => variables);
  const wanted = new Set(sources.flatMap((source) => ('field' in source ? [source.field] : [])));
  const values = [...wanted].map((field) => [field, fieldValue(person, field)] as const);
  return Object.fromEntries(values.filter((pair): pair is readonly [PersonField, string] => pair[1] !== null));
}

export type PersonValues = Readonly<Record<string, string>>;

function fieldValue(person: BroadcastPerson, field: PersonField | `custom.${string}`): string | null {
  const { name_ar, name_en, language, custom_fields } = person;
  switch (field) {
    case 'name':
      return (language === 'ar' ? (name_ar ?? name_en) : (name_en ?? name_ar)) ?? null;
    case 'name_ar':
    case 'name_en':
    case 'phone':
    case 'email':
    case 'language':
      return person[field];
    default: {
      const name = field.slice('custom.'.length);
      return Object.hasOwn(custom_fields, name) ? String(custom_fields[name]) : null;
    }
  }
}

/** The values of the placeholders for one recipient; null if one is missing. */
export function valuesFor(variables: readonly VariableSource[], person: PersonValues): readonly string[] | null {
  const values = variables.map((source) =>
    'value' in source
      ? source.value
      : ((Object.hasOwn(person, source.field) ? person[source.field] : undefined) ?? source.default),
  );
  return values.every((value) => value !== null) ? values : null;
}

/** A time of the clock, without a zone: `2026-12-01T10:00`. */
const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})$/;

export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** After midnight. */
  readonly minutes: number;
}

/** Null for a text that is no such time. */
export function parseWallTime(text: string): WallTime | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = (LOCAL_TIME.exec(text) ?? []).slice(1).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (year < 1000 || !isDay || hour > 23 || minute > 59) return null;
  return { year, month, day, minutes: hour * 60 + minute };
}
