import { Refused, type Api } from './api.js';
import type { Proof } from './proof.js';

/** The platform accepts a proof for ten minutes; an older one than this is not sent. */
const MAX_PROOF_AGE_MS = 8 * 60_000;

/** Proofs of work for requests of a widget that wants them. */
export class Proofs {
  #proof: { readonly made: Promise<Proof>; readonly at: number } | null = null;

  constructor(
    private readonly api: Pick<Api, 'proof'>,
    private readonly areWanted: boolean,
  ) {}

  /** Begins to solve a challenge, while the visitor types. */
  prepare(): void {
    if (this.areWanted) void this.#fresh().catch(() => undefined);
  }

  /** Sends a request, with a proof if one is required. A rejected proof is replaced once. */
  async with<T>(ask: (captcha: { captcha?: Proof }) => Promise<T>, again = true): Promise<T> {
    if (!this.areWanted) return ask({});
    const captcha = await this.#fresh();
    this.#proof = null;
    try {
      return await ask({ captcha });
    } catch (error) {
      if (again && error instanceof Refused && error.code === 'CAPTCHA_FAILED') return this.with(ask, false);
      throw error;
    }
  }

  /** Returns a proof that was not sent yet. */
  #fresh(): Promise<Proof> {
    const old = this.#proof;
    if (old && Date.now() - old.at < MAX_PROOF_AGE_MS) return old.made;
    const made = this.api.proof();
    this.#proof = { made, at: Date.now() };
    made.catch(() => (this.#proof = null));
    return made;
  }
}
