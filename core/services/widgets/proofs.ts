import { createChallenge, extractParams, verifySolution } from 'altcha-lib/v1';
import type { Widgets } from '../../data/repositories/accounts/widgets.js';
import type { WidgetRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';

/** Work for a browser: the number, from 0 to `maxnumber`, that after the salt has this SHA-256. In the form that ALTCHA's clients know. */
export interface Challenge {
  readonly algorithm: 'SHA-256';
  readonly challenge: string;
  readonly maxnumber: number;
  readonly salt: string;
  readonly signature: string;
}

/** What a browser that did the work hands in. */
export type Proof = Omit<Challenge, 'maxnumber'> & { readonly number: number };

/** A tenth of a second on a desk, half of one in an old phone; somebody who asks a thousand times notices. */
const MAX_NUMBER = 200_000;
const LASTS_MS = 10 * 60_000;

/** Proofs of work that each count once, for one widget, for ten minutes. Nobody else is asked. */
export class WidgetProofs {
  readonly #key: string;

  constructor(
    private readonly widgets: Widgets,
    private readonly clock: Clock,
    cipher: Cipher,
  ) {
    this.#key = cipher.mac('widget', 'proofs');
  }

  async challenge({ id }: WidgetRow): Promise<Challenge> {
    const expires = new Date(this.clock.now().getTime() + LASTS_MS);
    const made = await createChallenge({ hmacKey: this.#key, maxnumber: MAX_NUMBER, expires, params: { widget: id } });
    return { ...made, algorithm: 'SHA-256', maxnumber: MAX_NUMBER };
  }

  /** Takes the proof, which is worth nothing afterwards. @throws HatifError CAPTCHA_FAILED for one that is wrong, late or used */
  async spend({ id }: WidgetRow, proof: Proof | null): Promise<void> {
    if (proof === null) throw new HatifError('CAPTCHA_FAILED');
    const { expires, widget } = extractParams(proof);
    const now = this.clock.now();
    const expiresAt = new Date(Number(expires) * 1000);
    // What stands in the salt is true where the signature is ours. The library would look at the machine's own clock.
    const isOurs = widget === id && (await verifySolution(proof, this.#key, false));
    if (!isOurs || !(expiresAt > now)) throw new HatifError('CAPTCHA_FAILED');
    if (!(await this.widgets.spendProof(proof.challenge, expiresAt, now))) throw new HatifError('CAPTCHA_FAILED');
  }
}
