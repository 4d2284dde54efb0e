/** Limits of a contact, as the API reference says them. */
export const MAX_NAME = 100;
export const MAX_TAGS = 50;
export const MAX_TAG = 50;
/** Groups of one kind, live or sandbox, of a project. */
export const MAX_GROUPS = 1_000;
export const MAX_GROUP_MEMBERS = 100_000;

interface Named {
  readonly phone: string | null;
  readonly email: string | null;
  readonly name_en: string | null;
  readonly name_ar: string | null;
  readonly language: 'ar' | 'en';
}

/** The name in the language of the contact, else in the other one, else the number or the address. */
export function displayName({ phone, email, name_en, name_ar, language }: Named): string {
  const names = language === 'ar' ? [name_ar, name_en] : [name_en, name_ar];
  return names.find((name) => name !== null) ?? phone ?? email ?? '';
}
