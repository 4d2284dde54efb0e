import { fillSlots } from '../../core/model/wording/wording.js';

export type Language = 'ar' | 'en';

/** A text in the language, with its placeholders filled in. One without a value becomes empty. */
export type Say<Name extends string> = (
  language: Language,
  name: Name,
  slots?: Readonly<Record<string, string | number>>,
) => string;

/** The texts of a part of the pages. */
export type Texts<Name extends string> = Readonly<Record<Language, Readonly<Record<Name, string>>>>;

/** Returns what says the texts of a part of the pages. */
export function sayFrom<Name extends string>(texts: Texts<Name>): Say<Name> {
  return (language, name, slots = {}) => fillSlots(texts[language][name], language, (slot) => slots[slot] ?? '');
}
