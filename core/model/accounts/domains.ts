import { domainToASCII } from 'node:url';
import type { Phrase } from '../errors/index.js';

const LONGEST = 253;
/** Of ASCII only letters, digits, hyphens and dots: `domainToASCII` itself would cut a path off. */
const HOST = /^[a-z0-9.\-\u0080-\u{10ffff}]*$/u;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Below this name of a domain, a TXT record proves whose it is. */
const RECORD_LABEL = '_hatif-challenge';
const RECORD_PREFIX = 'hatif-domain=';

/** The rule of {@link readDomain}. */
export const DOMAIN_RULE: Phrase = {
  en: 'must be a domain such as example.com, without a protocol, a path or an @',
  ar: 'يجب أن يكون نطاقًا مثل `example.com`، بلا بروتوكول أو مسار أو علامة `@`',
};

/** The domain in lower case, and international ones in ASCII (RFC 5891); null if it is none. An IP address is none. */
export function readDomain(text: string): string | null {
  const lower = text.trim().toLowerCase();
  const ascii = HOST.test(lower) ? domainToASCII(lower) : '';
  const labels = ascii.split('.');
  const top = labels.at(-1) ?? '';
  const isDomain = ascii.length <= LONGEST && labels.length > 1 && labels.every((label) => LABEL.test(label));
  return isDomain && /[a-z]/.test(top) ? ascii : null;
}

/** The domain of an e-mail address, as {@link readDomain} writes it; null if the address has none. */
export function domainOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  return at === -1 ? null : readDomain(email.slice(at + 1));
}

/** The TXT record that proves that a domain is the organization's. */
export function challengeRecord(domain: string, token: string): { readonly name: string; readonly value: string } {
  return { name: `${RECORD_LABEL}.${domain}`, value: RECORD_PREFIX + token };
}
