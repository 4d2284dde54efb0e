import { Secret, TOTP } from 'otpauth';
import type { Route } from '../../../../api/http/route.js';
import { HatifError } from '../../../../core/model/errors/index.js';
import type { Verify } from '../../../../core/services/verify/verify.js';
import { openCredentials } from '../../../../main/wiring/credentials.js';
import { credentialRoutes } from '../../../../main/roles/routes/credentials.js';
import type { Answer, RequestOptions } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { stageOnce } from '../../each.js';
import type { TestDatabase } from '../../platform/database.js';
import { AccountsStage, type TestUser } from './accounts-stage.js';

/** Where pages of these tests are: passkeys are bound to it. */
export const SITE = 'https://voice.example.com';

type Codes = Pick<Verify, 'start' | 'check'>;

const NO_CODES: Codes = {
  start: () => Promise.reject(new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'sms' })),
  check: (_, id) => Promise.reject(new HatifError('VERIFY_NOT_FOUND', { verification_id: id })),
};

/** The accounts stage with the routes of profiles, passwords, second factors and passkeys. */
export function credentialsStage(database: TestDatabase, verify: Codes = NO_CODES): Promise<AccountsStage> {
  return AccountsStage.start(database, (stage, { accounts, accessTokens }): readonly Route[] => {
    const opened = openCredentials({
      db: database.db,
      accounts,
      cipher: TEST_CIPHER,
      verify,
      publicUrl: () => SITE,
      clock: stage.clock,
      onSessionChanged: () => accessTokens.clearCache(),
    });
    return credentialRoutes(opened, accounts.signIn);
  });
}

/** What tests of a signed-in user work with. */
export interface SignedIn {
  readonly database: TestDatabase;
  readonly stage: AccountsStage;
  readonly user: TestUser;
  /** Sends requests as the user. */
  readonly ask: Ask;
}

/** For a `describe`: one stage with these routes for all tests, and for each test a new user, who is signed in. */
export function signedInEach(use: (given: SignedIn) => void): void {
  let stage: AccountsStage;
  let database: TestDatabase;
  stageOnce(
    (on) => credentialsStage(on),
    (opened, on) => ([stage, database] = [opened, on]),
  );
  beforeEach(async () => {
    const user = await stage.signUp();
    use({ database, stage, user, ask: await stage.as(user) });
  });
}

export type Ask = (method: string, path: string, options?: RequestOptions) => Promise<Answer>;

/** A mail that waits to be sent, with its link opened. */
export interface WaitingMail {
  readonly kind: string;
  readonly locale: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The token of its link; empty without one. */
  readonly token: string;
}

/** The mails to an address, oldest first. */
export async function mailsTo({ db }: TestDatabase, address: string): Promise<WaitingMail[]> {
  const rows = await db.query<Omit<WaitingMail, 'token'>>(
    `SELECT kind, locale, data FROM owner_mails WHERE recipient = $1 ORDER BY created_at, id`,
    [address],
  );
  return rows.map((row) => {
    const { link } = row.data;
    const url = typeof link === 'string' ? new URL(TEST_CIPHER.open(link)) : null;
    return { ...row, token: url?.searchParams.get('token') ?? '' };
  });
}

/** What an authenticator app with this secret shows. */
export function totpCode(secret: string, at: Date): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() });
}

/** Sets up an authenticator app for the user that `ask` signs in. @returns its secret and the recovery codes */
export async function setUpTotp(
  stage: AccountsStage,
  ask: Ask,
): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] }> {
  const begun = await ask('POST', '/v1/me/totp');
  const secret = String(begun.body?.secret);
  const confirmed = await ask('POST', '/v1/me/totp/confirm', { json: { code: totpCode(secret, stage.clock.now()) } });
  if (confirmed.status !== 200) throw new Error(`the app was not set up: ${begun.text} ${confirmed.text}`);
  return { secret, recoveryCodes: confirmed.body?.recovery_codes as string[] };
}

/** The present hash of the user's password. */
export async function passwordHash({ db }: TestDatabase, { row }: TestUser): Promise<string | null> {
  const [user] = await db.query<{ password_hash: string | null }>(`SELECT password_hash FROM users WHERE id = $1`, [
    row.id,
  ]);
  return user?.password_hash ?? null;
}
