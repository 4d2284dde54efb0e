import type { Phrase } from '../errors/index.js';

/** Where the browser goes after a sign-in that says nothing of it. */
export const DEFAULT_PAGE = '/console';

export const PAGE_RULE: Phrase = {
  en: 'must be a path of this platform that begins with one slash',
  ar: 'يجب أن يكون مسارًا في هذه المنصة يبدأ بشرطة مائلة واحدة',
};
export const LOOPBACK_RULE: Phrase = {
  en: 'must be an http URL of 127.0.0.1 or [::1], without a query, fragment or user name',
  ar: 'يجب أن يكون رابط http إلى `127.0.0.1` أو `[::1]`، بلا معاملات أو جزء بعد `#` أو اسم مستخدم',
};

const HERE = 'http://here.invalid';

/** A page of the platform itself: what leads elsewhere is none. */
export function isOwnPage(path: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || !URL.canParse(path, HERE)) return false;
  return new URL(path, HERE).origin === HERE;
}

/** Where a program on the person's machine waits for the browser (RFC 8252 §7.3). */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isBare = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return url.protocol === 'http:' && ['127.0.0.1', '[::1]'].includes(url.hostname) && isBare;
}
