import { EMAIL_RULE, readEmail } from '../../../model/accounts/email.js';
import { isName, NAME_RULE } from '../../../model/accounts/names.js';
import { detailOf, fieldAndProblem, HatifError, type ErrorDetail, type Phrase } from '../../../model/errors/index.js';
import type { Passwords } from '../passwords.js';

/** What somebody who signs up enters; nothing of it is checked. */
export interface SignupForm {
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  readonly name?: string | undefined;
  readonly organization_name?: string | undefined;
  /** Default: Arabic. */
  readonly locale?: string | undefined;
}

export interface CheckedForm {
  /** In lower case. */
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly organization_name: string;
  readonly locale: 'ar' | 'en';
}

const REQUIRED: Phrase = { en: 'is required', ar: 'هذا الحقل مطلوب' };
const BAD_LOCALE: Phrase = { en: 'must be ar or en', ar: 'يجب أن تكون `ar` أو `en`' };

/** @throws HatifError SIGNUP_VALIDATION_FAILED with every bad field in the details */
export function checkedForm(form: SignupForm, passwords: Pick<Passwords, 'problemOf'>): CheckedForm {
  const [given, name, organization_name] = [form.email, form.name, form.organization_name].map((text) => text?.trim());
  const { password, locale = 'ar' } = form;
  const email = readEmail(given ?? '');
  const problems: readonly (readonly [path: string, problem: Phrase | null])[] = [
    ['email', given === undefined ? REQUIRED : email === null ? EMAIL_RULE : null],
    [
      'password',
      password === undefined ? REQUIRED : passwords.problemOf(password, { email: email ?? '', name: name ?? '' }),
    ],
    ['name', problemOfName(name)],
    ['organization_name', problemOfName(organization_name)],
    ['locale', locale === 'ar' || locale === 'en' ? null : BAD_LOCALE],
  ];
  const details: ErrorDetail[] = problems.flatMap(([path, problem]) =>
    problem === null ? [] : [detailOf(path, problem)],
  );
  const [first] = details;
  if (first !== undefined) {
    throw new HatifError('SIGNUP_VALIDATION_FAILED', fieldAndProblem(first), { details });
  }
  // Without a problem, nothing is missing.
  return { email, password, name, organization_name, locale } as CheckedForm;
}

function problemOfName(text: string | undefined): Phrase | null {
  if (text === undefined) return REQUIRED;
  return isName(text) ? null : NAME_RULE;
}
