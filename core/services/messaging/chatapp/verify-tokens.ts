import type { Cipher } from '../../../model/access/cipher.js';
import { isSameSecret } from '../../../model/access/secrets.js';
import { isId } from '../../../model/ids.js';

/** Tokens by which the provider proves that it asks about an account of this installation. They need no row. */
export class VerifyTokens {
  constructor(private readonly cipher: Pick<Cipher, 'mac'>) {}

  of(accountId: string): string {
    return `${accountId}.${this.#sign(accountId)}`;
  }

  /** Whether the installation made the token. */
  isOurs(token: string): boolean {
    const [id = '', signature = ''] = token.split('.');
    return isId(id) && isSameSecret(signature, this.#sign(id));
  }

  #sign(accountId: string): string {
    return this.cipher.mac('link', `chatapp/${accountId}`);
  }
}
