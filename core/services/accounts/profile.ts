import type { ProfileRow, Profiles } from '../../data/repositories/accounts/profiles.js';
import { permissionsOf } from '../../model/access/roles.js';
import { readEmail } from '../../model/accounts/email.js';
import { isName, NAME_RULE } from '../../model/accounts/names.js';
import {
  detailOf,
  fieldAndProblem,
  HatifError,
  internalError,
  type ErrorDetail,
  type Phrase,
} from '../../model/errors/index.js';
import type { ProfileObject } from '../../model/objects/profile.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { EmailChange } from './email-change.js';
import type { Asker, InSession } from './in-session.js';
import type { PhoneChange } from './phone-change.js';

const LOCALE: Phrase = { en: 'must be ar or en', ar: 'يجب أن تكون `ar` أو `en`' };
const BAD_EMAIL: Phrase = { en: 'the e-mail address is malformed', ar: 'عنوان البريد الإلكتروني غير سليم' };
const BAD_PHONE: Phrase = {
  en: 'the telephone number must be in E.164 (+966501234567) or Saudi national form (0501234567)',
  ar: 'يجب أن يكون رقم الهاتف بصيغة E.164 (`+966501234567`) أو بالصيغة المحلية السعودية (`0501234567`)',
};

/** What the user changes; absent members stay. */
export interface ProfileChanges {
  readonly name?: string | undefined;
  readonly locale?: string | undefined;
  readonly email?: string | undefined;
  /** Null removes it. */
  readonly phone?: string | null | undefined;
}

export interface ProfileOptions {
  readonly profiles: Profiles;
  readonly emails: EmailChange;
  readonly phones: PhoneChange;
  readonly clock: Clock;
}

/** What users see and change of themselves. */
export class Profile {
  constructor(private readonly options: ProfileOptions) {}

  async get(user: InSession): Promise<ProfileObject> {
    return presentProfile(await this.#rowOf(user), user.sessionId);
  }

  /**
   * Checks everything before anything changes. A new e-mail address or telephone number replaces the old one when it is
   * confirmed.
   * @throws HatifError PROFILE_VALIDATION_FAILED, INVALID_IDENTITY, IDENTITY_CONFLICT, what {@link EmailChange} and
   * {@link PhoneChange} refuse.
   */
  async change(user: Asker, changes: ProfileChanges): Promise<ProfileObject> {
    const { profiles, emails, phones } = this.options;
    const { name, locale } = checkedTexts(changes);
    const email = changes.email === undefined ? undefined : checkedEmail(changes.email);
    const phone = changes.phone == null ? changes.phone : checkedPhone(changes.phone);
    const row = await this.#rowOf(user);
    if (email !== undefined) await emails.check(row, user, email);
    // A code may be refused, so it is asked for before anything else changes.
    if (phone === null) await profiles.removePhone(user.id);
    else if (phone !== undefined) await phones.begin(row, user, phone);
    if (email !== undefined) await emails.begin({ ...row, name: name ?? row.name }, email);
    if (name !== undefined || locale !== undefined) await profiles.change(user.id, { name, locale });
    return this.get(user);
  }

  async #rowOf({ id, sessionId }: InSession): Promise<ProfileRow> {
    const row = await this.options.profiles.get(id, sessionId, this.options.clock.now());
    if (row === null) throw internalError(new Error('the user of the session is gone'));
    return row;
  }
}

function checkedTexts({ name, locale }: ProfileChanges): { name: string | undefined; locale: string | undefined } {
  const details: ErrorDetail[] = [];
  const trimmed = name?.trim();
  if (trimmed !== undefined && !isName(trimmed)) details.push(detailOf('name', NAME_RULE));
  if (locale !== undefined && locale !== 'ar' && locale !== 'en') details.push(detailOf('locale', LOCALE));
  const [first] = details;
  if (first !== undefined) {
    throw new HatifError('PROFILE_VALIDATION_FAILED', fieldAndProblem(first), { details });
  }
  return { name: trimmed, locale };
}

function checkedEmail(text: string): string {
  const email = readEmail(text);
  if (email === null) throw invalidIdentity('email', BAD_EMAIL);
  return email;
}

function checkedPhone(text: string): string {
  const number = parseNumber(text, { allowForeign: true });
  if (number === null || number.kind === 'emergency') throw invalidIdentity('phone', BAD_PHONE);
  return number.e164;
}

function invalidIdentity(path: string, reason: Phrase): HatifError<'INVALID_IDENTITY'> {
  return new HatifError('INVALID_IDENTITY', { reason }, { details: [detailOf(path, reason)] });
}

function presentProfile(row: ProfileRow, sessionId: string): ProfileObject {
  return {
    id: row.id,
    email: row.email,
    email_confirmed: row.email_confirmed_at !== null,
    pending_email: row.pending_email,
    name: row.name,
    locale: row.locale,
    phone: row.phone,
    pending_phone: row.pending_phone,
    organization: {
      id: row.organization_id,
      name: row.organization_name,
      tier: row.account_kind,
      second_factor_required: row.second_factor_required,
    },
    role: row.role,
    permissions: [...permissionsOf(row.role)],
    project_ids: row.project_ids === null ? null : [...row.project_ids],
    agent: row.agent,
    has_password: row.password_hash !== null,
    second_factor: {
      totp: row.has_totp,
      passkeys: row.passkeys,
      recovery_codes_left: row.recovery_codes,
    },
    session: {
      id: sessionId,
      confirmed_at: row.confirmed_at === null ? null : isoTime(row.confirmed_at),
      second_factor: row.second_factor,
      impersonated: row.impersonated_by !== null,
    },
    created_at: isoTime(row.created_at),
  };
}
