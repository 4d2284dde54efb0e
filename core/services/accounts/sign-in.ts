import type { Device } from '../../data/repositories/accounts/sessions.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import type { OrganizationRow, SessionClient, UserRow } from '../../data/rows.js';
import { HatifError, type ErrorDetail } from '../../model/errors/index.js';
import { assertActive } from '../access/suspension.js';
import type { Passwords } from './passwords.js';
import type { SecondFactor } from './second-factor.js';
import type { LiveSession, NewSession, SessionService } from './sessions.js';
import type { Tries } from './tries.js';

export interface Credentials {
  /** In any case. */
  readonly email: string;
  readonly password: string;
  readonly totp: string | null;
  readonly client: SessionClient;
}

export interface SignInOptions {
  readonly users: Users;
  readonly organizations: { get(id: string): Promise<OrganizationRow | null> };
  readonly sessions: SessionService;
  /** Whether a user with this address in mails has worked from this address of the network lately. */
  readonly usedFrom: (email: string, ip: string) => Promise<boolean>;
  /** Whether somebody with this address in mails must sign in through an identity provider. */
  readonly isForced: (email: string) => Promise<boolean>;
  readonly passwords: Pick<Passwords, 'verify'>;
  readonly secondFactor: Pick<SecondFactor, 'isRequired' | 'verify'>;
  readonly tries: Tries;
}

const MISSING_CODE: ErrorDetail = {
  path: 'totp',
  message: 'is required: the account has a second factor',
  message_ar: 'مطلوب لأن التحقق بخطوتين مفعّل لهذا الحساب',
};
const WRONG_CODE: ErrorDetail = {
  path: 'totp',
  message: 'is wrong, or was used before',
  message_ar: 'غير صحيح أو سبق استخدامه',
};

/** Signs users in with their passwords. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /**
   * An unknown address, a wrong password and a disabled user are one and the same error, after the same time. Addresses
   * that must sign in through an identity provider are refused before the password is looked at.
   * @throws HatifError RATE_LIMIT_EXCEEDED, PASSWORD_SSO_ONLY, INVALID_CREDENTIALS (with `totp` in the details if only that
   * is missing or wrong), INSUFFICIENT_PERMISSIONS if the organization is suspended
   */
  async withPassword({ email: given, password, totp, client }: Credentials, device: Device): Promise<LiveSession> {
    const { users, usedFrom, isForced, passwords, tries } = this.options;
    const email = given.trim().toLowerCase();
    const { ip } = device;
    const succeeded = await tries.takeSignIn('sign-in', { email, ip, hasWorkedFrom: await usedFrom(email, ip) });
    if (await isForced(email)) {
      // Nothing was guessed.
      await succeeded();
      throw new HatifError('PASSWORD_SSO_ONLY');
    }
    const user = await users.findByEmail(email);
    const isPassword = await passwords.verify(user?.password_hash ?? null, password);
    if (user === null || !isPassword || user.disabled_at !== null) throw new HatifError('INVALID_CREDENTIALS');
    const gaveSecondFactor = await this.#checkSecondFactor(user, totp);
    await succeeded();
    return this.#begin(user, { client, secondFactor: gaveSecondFactor, ...device });
  }

  /**
   * Signs in the user whose passkey has been verified.
   * @throws HatifError INVALID_CREDENTIALS, PASSWORD_SSO_ONLY, INSUFFICIENT_PERMISSIONS if the organization is suspended
   */
  async withPasskey(userId: string, client: SessionClient, device: Device): Promise<LiveSession> {
    const user = await this.options.users.get(userId);
    if (user?.disabled_at !== null) throw new HatifError('INVALID_CREDENTIALS');
    if (await this.options.isForced(user.email)) throw new HatifError('PASSWORD_SSO_ONLY');
    return this.#begin(user, { client, secondFactor: true, ...device });
  }

  async #begin(user: UserRow, session: NewSession): Promise<LiveSession> {
    const { organizations, sessions } = this.options;
    const organization = await organizations.get(user.organization_id);
    if (organization === null) throw new HatifError('INVALID_CREDENTIALS');
    assertActive(organization);
    return sessions.begin(user, organization, session);
  }

  /** @returns whether the user has a second factor, and gave it */
  async #checkSecondFactor(user: UserRow, code: string | null): Promise<boolean> {
    const { secondFactor } = this.options;
    if (!(await secondFactor.isRequired(user))) return false;
    if (code !== null && (await secondFactor.verify(user, code))) return true;
    throw new HatifError('INVALID_CREDENTIALS', {}, { details: [code === null ? MISSING_CODE : WRONG_CODE] });
  }
}
