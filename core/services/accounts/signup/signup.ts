import type { Database } from '../../../data/database.js';
import type { Signups } from '../../../data/repositories/accounts/signups.js';
import type { Users } from '../../../data/repositories/accounts/users.js';
import { addAccountMail } from '../../../data/repositories/mails/account-mails.js';
import type { SignupRow } from '../../../data/rows.js';
import type { Cipher, Sealed } from '../../../model/access/cipher.js';
import { newId } from '../../../model/ids.js';
import { pause, systemClock, type Clock } from '../../../ports/clock.js';
import type { Challenge, Proof, ProofsOfWork } from '../../access/proofs-of-work.js';
import { newMailedLink } from '../mailed-link.js';
import type { Passwords } from '../passwords.js';
import type { Tries } from '../tries.js';
import { orSignupFailed } from './failed.js';
import { checkedForm, type CheckedForm, type SignupForm } from './form.js';

export interface SignUpOptions {
  readonly db: Database;
  readonly signups: Signups;
  readonly users: Pick<Users, 'findByEmail'>;
  readonly proofs: ProofsOfWork;
  readonly passwords: Pick<Passwords, 'hash' | 'problemOf'>;
  readonly tries: Tries;
  readonly cipher: Cipher;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** What the stranger learns, whether the address has an account or not. */
export interface BegunSignup {
  readonly id: string;
  readonly expiresAt: Date;
}

const VALID_MS = 24 * 60 * 60_000;
/** Longer than the work, whose time depends on whether the address is known. */
const ANSWER_MS = 300;
const PER_ADDRESS = 3;
const RESENT = 2;
const HOUR_SECONDS = 3600;
/** What the proofs of work are for. */
const SUBJECT = 'signup';

/** Takes sign-ups of strangers and sends a link to their address. Nothing is made before the link is used. */
export class SignUp {
  constructor(private readonly options: SignUpOptions) {}

  challenge(): Promise<Challenge> {
    return this.options.proofs.challenge(SUBJECT);
  }

  /**
   * Sends a link to the address; if a user has it, a mail that says so. The answer and its time are the same.
   * @throws HatifError RATE_LIMIT_EXCEEDED, CAPTCHA_FAILED, SIGNUP_VALIDATION_FAILED, SIGNUP_FAILED
   */
  async begin(form: SignupForm, proof: Proof | null, ip: string): Promise<BegunSignup> {
    const { proofs, passwords, tries, cipher } = this.options;
    await tries.take(`signup:${ip}`);
    return orSignupFailed(async () => {
      await proofs.spend(SUBJECT, proof);
      const checked = checkedForm(form, passwords);
      await tries.take(`signup:${cipher.mac('code', checked.email)}`, PER_ADDRESS, HOUR_SECONDS);
      // Real time, because the client measures it.
      const [begun] = await Promise.all([this.#begin(checked), pause(systemClock, ANSWER_MS)]);
      return begun;
    });
  }

  /**
   * Sends another link in place of the one before, if the sign-up still waits; the answer is the same if not.
   * @throws HatifError RATE_LIMIT_EXCEEDED, SIGNUP_FAILED
   */
  async resend(id: string, ip: string): Promise<void> {
    const { tries } = this.options;
    await tries.take(`signup:${ip}`);
    await tries.take(`signup:resend:${id}`, RESENT, HOUR_SECONDS);
    await orSignupFailed(() => Promise.all([this.#resend(id), pause(systemClock, ANSWER_MS)]));
  }

  async #begin({ password, ...form }: CheckedForm): Promise<BegunSignup> {
    const { db, signups, users, passwords, clock } = this.options;
    const password_hash = await passwords.hash(password);
    const now = clock.now();
    const { token_hash, link, expires_at } = this.#link(now);
    const row: SignupRow = { id: newId(), ...form, password_hash, token_hash, created_at: now, expires_at };
    const known = await users.findByEmail(form.email);
    await db.transaction(async (tx) => {
      if (known === null) {
        await signups.add(row, tx);
        const { email: to, locale, name } = form;
        await addAccountMail(tx, { to, locale, kind: 'signup', data: { name, link } }, now);
      } else {
        const { email: to, locale, name } = known;
        await addAccountMail(tx, { to, locale, kind: 'signup_known', data: { name } }, now);
      }
    });
    return { id: row.id, expiresAt: expires_at };
  }

  async #resend(id: string): Promise<void> {
    const { db, signups, clock } = this.options;
    const now = clock.now();
    const signup = await signups.get(id, now);
    if (signup === null) return;
    const { token_hash, link, expires_at } = this.#link(now);
    await db.transaction(async (tx) => {
      if (!(await signups.renew(id, token_hash, expires_at, tx))) return;
      const { email: to, locale, name } = signup;
      await addAccountMail(tx, { to, locale, kind: 'signup', data: { name, link } }, now);
    });
  }

  #link(now: Date): { readonly token_hash: string; readonly link: Sealed; readonly expires_at: Date } {
    const { link, hash } = newMailedLink(this.options, 'signup', 'signup');
    return { token_hash: hash, link, expires_at: new Date(now.getTime() + VALID_MS) };
  }
}
