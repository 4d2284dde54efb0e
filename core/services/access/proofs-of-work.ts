import { createChallenge, extractParams, verifySolution } from 'altcha-lib/v1';
import type { Widgets } from '../../data/repositories/accounts/widgets.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';

/**
 * A proof-of-work challenge in ALTCHA's format: find the number from 0 to `maxnumber` that, appended to the salt, has
 * this SHA-256.
 */
export interface Challenge {
  readonly algorithm: 'SHA-256';
  readonly challenge: string;
  readonly maxnumber: number;
  readonly salt: string;
  readonly signature: string;
}

/** The solution that a browser submits. */
export type Proof = Omit<Challenge, 'maxnumber'> & { readonly number: number };

/**
 * Takes 0.1 s on a desktop computer and 0.5 s on an old phone, but slows down a client that sends a thousand requests.
 */
const MAX_NUMBER = 200_000;
const LIFETIME_MS = 10 * 60_000;

/**
 * Issues and checks proofs of work. Each is valid once, for one subject such as a widget, for ten minutes. No third party
 * is involved.
 */
export class ProofsOfWork {
  readonly #key: string;

  constructor(
    private readonly spent: Pick<Widgets, 'spendProof'>,
    private readonly clock: Clock,
    cipher: Cipher,
  ) {
    this.#key = cipher.mac('widget', 'proofs');
  }

  async challenge(subject: string): Promise<Challenge> {
    const expires = new Date(this.clock.now().getTime() + LIFETIME_MS);
    const challenge = await createChallenge({
      hmacKey: this.#key,
      maxnumber: MAX_NUMBER,
      expires,
      params: { widget: subject },
    });
    return { ...challenge, algorithm: 'SHA-256', maxnumber: MAX_NUMBER };
  }

  /** Uses up a proof. @throws HatifError CAPTCHA_FAILED if it is wrong, expired or already used */
  async spend(subject: string, proof: Proof | null): Promise<void> {
    if (proof === null) throw new HatifError('CAPTCHA_FAILED');
    const { expires, widget } = extractParams(proof);
    const now = this.clock.now();
    const expiresAt = new Date(Number(expires) * 1000);
    // The values in the salt can be trusted if the signature is ours. Expiry is checked here, because the library would
    // read the machine's own clock.
    const isOurs = widget === subject && (await verifySolution(proof, this.#key, false));
    if (!isOurs || !(expiresAt > now)) throw new HatifError('CAPTCHA_FAILED');
    if (!(await this.spent.spendProof(proof.challenge, expiresAt, now))) throw new HatifError('CAPTCHA_FAILED');
  }
}
