import type { AccountMailData, AccountMailKind } from '../../data/repositories/mails/account-mails.js';
import type { Letter } from '../../model/mails/letter.js';

/** One mail in both languages. */
export type Letters = Readonly<Record<'ar' | 'en', Omit<Letter, 'language'>>>;

/** The data of a mail with its link opened. */
type Opened<Data> = { readonly [Key in keyof Data]: Key extends 'link' ? string : Data[Key] };

/** What each kind of mails to people says. */
export type AccountLetters<K extends AccountMailKind = AccountMailKind> = {
  readonly [Kind in K]: (data: Opened<AccountMailData[Kind]>) => Letters;
};
