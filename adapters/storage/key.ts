/** Parts that begin with a letter or digit: neither `..` nor an absolute path is a key. */
const KEY = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;
const MAX_KEY_LENGTH = 512;

/** @throws RangeError for what is no key; keys are made by the platform itself, never by users. */
export function checkKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !KEY.test(key)) throw new RangeError(`not a storage key: ${key}`);
}
