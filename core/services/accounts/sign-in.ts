import type { Device } from '../../data/repositories/accounts/sessions.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import type { OrganizationRow, SessionClient, UserRow } from '../../data/rows.js';
import { HatifError, type ErrorDetail } from '../../model/errors/index.js';
import { assertActive } from '../access/suspension.js';
import type { Tries } from '../access/tries.js';
import type { Passwords } from './passwords.js';
import type { LiveSession, SessionService } from './sessions.js';

/** A code of an authenticator application, or a recovery code. */
export interface SecondFactorCheck {
  isRequired(user: UserRow): Promise<boolean>;
  verify(user: UserRow, code: string): Promise<boolean>;
}

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
  readonly passwords: Pick<Passwords, 'verify'>;
  readonly secondFactor: SecondFactorCheck;
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
   * An unknown address, a wrong password and a disabled user are one and the same error, after the same time.
   * @throws HatifError RATE_LIMIT_EXCEEDED, INVALID_CREDENTIALS (with `totp` in the details if only that is missing or
   * wrong), INSUFFICIENT_PERMISSIONS if the organization is suspended
   */
  async withPassword({ email: given, password, totp, client }: Credentials, device: Device): Promise<LiveSession> {
    const { users, organizations, passwords, sessions, tries } = this.options;
    const email = given.trim().toLowerCase();
    const takeBack = await tries.count(device.ip, email);
    const user = await users.findByEmail(email);
    const isPassword = await passwords.verify(user?.password_hash ?? null, password);
    if (user === null || !isPassword || user.disabled_at !== null) throw new HatifError('INVALID_CREDENTIALS');
    await this.#checkSecondFactor(user, totp);
    await takeBack();
    const organization = await organizations.get(user.organization_id);
    if (organization === null) throw new HatifError('INVALID_CREDENTIALS');
    assertActive(organization);
    return sessions.begin(user, organization, client, device);
  }

  async #checkSecondFactor(user: UserRow, code: string | null): Promise<void> {
    const { secondFactor } = this.options;
    if (!(await secondFactor.isRequired(user))) return;
    if (code !== null && (await secondFactor.verify(user, code))) return;
    throw new HatifError('INVALID_CREDENTIALS', {}, { details: [code === null ? MISSING_CODE : WRONG_CODE] });
  }
}
