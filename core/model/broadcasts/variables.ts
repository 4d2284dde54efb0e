import type { CustomFields } from '../contacts/custom-fields.js';

export const PERSON_FIELDS = ['name', 'name_ar', 'name_en', 'phone', 'email', 'language'] as const;
export type PersonField = (typeof PERSON_FIELDS)[number];

/** Where the value of a placeholder comes from: the same for all, or something of the recipient. */
export type VariableSource =
  | { readonly value: string }
  /** `custom.city` is a custom field. Without the default, a recipient who has no such value is skipped. */
  | { readonly field: PersonField | `custom.${string}`; readonly default: string | null };

/** What a broadcast knows of a recipient. */
export interface BroadcastPerson {
  readonly phone: string | null;
  readonly email: string | null;
  readonly name_en: string | null;
  readonly name_ar: string | null;
  readonly language: 'ar' | 'en';
  readonly custom_fields: CustomFields;
}

/** The values that variables take from a person, by field: what a broadcast keeps of its recipients. */
export function fieldsOf(
  person: BroadcastPerson,
  variants: readonly { readonly variables: readonly VariableSource[] }[],
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
