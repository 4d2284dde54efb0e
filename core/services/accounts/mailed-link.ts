import type { Cipher, Sealed } from '../../model/access/cipher.js';
import { hashSecret } from '../../model/access/secrets.js';
import { generateToken, type TokenKind } from '../../model/access/tokens.js';

/** A link for a mail, sealed because it contains a token, and the hash that is stored of this token. */
export interface MailedLink {
  readonly link: Sealed;
  readonly hash: string;
}

/** @param page of the console, which opens the link */
export function newMailedLink(
  { cipher, publicUrl }: { readonly cipher: Cipher; readonly publicUrl: () => string },
  kind: TokenKind,
  page: string,
): MailedLink {
  const token = generateToken(kind);
  return { link: cipher.seal(`${publicUrl()}/console/${page}?token=${token}`), hash: hashSecret(token) };
}
