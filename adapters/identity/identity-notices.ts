import type { IdentityNotice, IdentityNotices } from '../../core/ports/identity-provider.js';
import { SignedNotices } from '../http/signed-notices.js';
import { identityOf, serviceVerification } from './verification.js';

/** Reads the service's signed notices: `{"type": "verification.updated", "data": {the verification}}`. */
export class HttpIdentityNotices implements IdentityNotices {
  readonly #notices;

  /** @param secret `whsec_` and base64 */
  constructor(secret: string) {
    this.#notices = new SignedNotices(secret, 'verification.updated', serviceVerification);
  }

  read(headers: Readonly<Record<string, string>>, body: Buffer): IdentityNotice | null {
    const found = this.#notices.read(headers, body);
    return found && { verificationId: found.id.toLowerCase(), identity: identityOf(found) };
  }
}
