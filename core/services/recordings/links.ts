import type { Cipher } from '../../model/access/cipher.js';
import { isSameSecret } from '../../model/access/secrets.js';
import type { Clock } from '../../ports/clock.js';

/** How long a link is valid. */
const LINK_SECONDS = 600;

export interface SignedLink {
  /** Path and query, without the platform's base URL. */
  readonly target: string;
  readonly expiresAt: Date;
}

/** Creates and checks signed links that open one recording's audio without an API key, for a limited time. */
export class RecordingLinks {
  constructor(
    private readonly cipher: Cipher,
    private readonly clock: Clock,
  ) {}

  make(recordingId: string): SignedLink {
    const expires = Math.floor(this.clock.now().getTime() / 1000) + LINK_SECONDS;
    const query = `expires=${expires}&signature=${this.#sign(recordingId, String(expires))}`;
    return { target: `/v1/recordings/${recordingId}/audio?${query}`, expiresAt: new Date(expires * 1000) };
  }

  /** @returns when the link expires; null if the signature is not ours. */
  check(recordingId: string, expires: string, signature: string): Date | null {
    const isOurs = isSameSecret(signature, this.#sign(recordingId, expires));
    return isOurs ? new Date(Number(expires) * 1000) : null;
  }

  #sign(recordingId: string, expires: string): string {
    return this.cipher.mac('link', `recording/${recordingId}/${expires}`);
  }
}
