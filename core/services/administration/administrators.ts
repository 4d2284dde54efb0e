import { violatedUnique } from '../../data/errors.js';
import type { AdministratorTable } from '../../data/repositories/accounts/administrators.js';
import type { AdministratorRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { EMAIL_RULE, readEmail } from '../../model/accounts/email.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { Passwords } from '../accounts/passwords.js';
import type { AdministratorSessions, StartedSession } from './sessions.js';
import { isSetupCode } from './setup-code.js';

export interface AdministratorsOptions {
  readonly table: AdministratorTable;
  readonly sessions: Pick<AdministratorSessions, 'start'>;
  readonly passwords: Passwords;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

export interface NewAdministrator {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** An administrator without secrets. */
export interface AdministratorView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Whether the second factor is set. */
  readonly totp: boolean;
  readonly last_sign_in_at: Date | null;
  readonly created_at: Date;
}

const LONGEST_NAME = 100;

/** Makes the administrators of the installation. */
export class Administrators {
  constructor(private readonly options: AdministratorsOptions) {}

  /** Whether there is an administrator, so that the set-up code no longer works. */
  isSetUp(): Promise<boolean> {
    return this.options.table.isAny();
  }

  /** @throws HatifError ADMIN_UNAUTHORIZED for one who is gone */
  async get(id: string): Promise<AdministratorView> {
    const row = await this.options.table.get(id);
    if (!row) throw new HatifError('ADMIN_UNAUTHORIZED');
    return viewOf(row);
  }

  /**
   * Makes the first administrator with the code of the start screen, and signs in. Of two at the same moment, one
   * succeeds.
   * @throws HatifError SETUP_ALREADY_COMPLETE, ADMIN_INVALID_CREDENTIALS, VALIDATION_ERROR, PASSWORD_VALIDATION_FAILED
   */
  async setUp(
    code: string,
    wanted: NewAdministrator,
    ip: string,
  ): Promise<{ readonly administrator: AdministratorView; readonly session: StartedSession }> {
    const { table, sessions, cipher } = this.options;
    if (await table.isAny()) throw new HatifError('SETUP_ALREADY_COMPLETE');
    if (!isSetupCode(cipher, code)) throw new HatifError('ADMIN_INVALID_CREDENTIALS');
    const row = await this.#rowOf(wanted);
    const started: StartedSession[] = [];
    const isFirst = await table.createFirst(row, async (tx) => {
      started.push(await sessions.start(row, ip, tx));
    });
    const [session] = started;
    if (!isFirst || session === undefined) throw new HatifError('SETUP_ALREADY_COMPLETE');
    return { administrator: viewOf(row), session };
  }

  /**
   * Makes an administrator, the first or a further one: for the command on the machine.
   * @throws HatifError VALIDATION_ERROR, PASSWORD_VALIDATION_FAILED
   */
  async create(wanted: NewAdministrator): Promise<AdministratorView> {
    const row = await this.#rowOf(wanted);
    try {
      await this.options.table.create(row);
    } catch (error) {
      if (violatedUnique(error) !== 'administrators_email') throw error;
      throw invalidField('email', {
        en: `an administrator ${row.email} already exists`,
        ar: arabic`يوجد مسؤول ببريد إلكتروني عنوانه ${row.email}`,
      });
    }
    return viewOf(row);
  }

  async #rowOf(wanted: NewAdministrator): Promise<AdministratorRow> {
    const { passwords, clock } = this.options;
    const email = readEmail(wanted.email);
    const name = wanted.name.trim();
    if (email === null) throw invalidField('email', EMAIL_RULE);
    if (name === '' || name.length > LONGEST_NAME) {
      throw invalidField('name', { en: 'must be 1 to 100 characters', ar: 'يجب أن يتكوّن من 1 إلى 100 حرف' });
    }
    passwords.assertAccepted(wanted.password, { email, name });
    return {
      id: newId(),
      email,
      name,
      password_hash: await passwords.hash(wanted.password),
      totp_secret: null,
      totp_offered: null,
      totp_step: null,
      disabled_at: null,
      last_sign_in_at: null,
      created_at: clock.now(),
    };
  }
}

function viewOf(row: AdministratorRow): AdministratorView {
  const { id, email, name, totp_secret, last_sign_in_at, created_at } = row;
  return { id, email, name, totp: totp_secret !== null, last_sign_in_at, created_at };
}
