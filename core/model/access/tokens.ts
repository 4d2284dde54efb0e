import { generateSecret, parseSecret } from './secrets.js';

/** How each kind of token starts. */
export const TOKEN_PREFIXES = {
  /** Shows that a user is signed in, for some minutes. */
  access: 'at_',
  /** Is exchanged once for the next access token. */
  refresh: 'rt_',
  /** Sets a new password, once. */
  reset: 'rst_',
  /** Shows that its holder reads the mails to an address, once. */
  confirm: 'cnf_',
  /** A session of an administrator of the installation, or a token for scripts. */
  administrator: 'adm_',
  /** Accepts an invitation. */
  invite: 'inv_',
  /** Confirms the address of a sign-up, once. */
  signup: 'sgn_',
  /** Names the browser in which a single sign-on begins; its cookie. */
  ssoBrowser: 'ssb_',
  /** Names a single sign-on at the identity provider, once. */
  ssoState: 'sst_',
  /** Gets a program the session of a single sign-on, once. */
  ssoCode: 'ssc_',
  /** Shows that a directory provisions an organization. */
  scim: 'scim_',
  /** Gets one browser the credentials of a web calling session, once. */
  webCalling: 'wcs_',
} as const;
export type TokenKind = keyof typeof TOKEN_PREFIXES;

export function generateToken(kind: TokenKind): string {
  return generateSecret(TOKEN_PREFIXES[kind]);
}

/** Whether the text is a whole token of this kind: its checksum matches. */
export function isToken(kind: TokenKind, text: string): boolean {
  if (!text.startsWith(TOKEN_PREFIXES[kind])) return false;
  const parsed = parseSecret(text);
  return parsed !== null && parsed.prefix === TOKEN_PREFIXES[kind] && parsed.valid;
}
