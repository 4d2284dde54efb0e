import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/model/cache-size.js';

/** What one call gives away is asked for again in its next messages. */
const MAX_RECENT = 20_000;
const TAG_BYTES = 12;
const IV_BYTES = 16;

/**
 * Makes short texts that nobody else can read or make, for what the relay gives away and gets back in later messages. A
 * text always has the same seal, so an address that is hidden stays the same for a whole call (as AES-SIV does, RFC
 * 5297).
 */
export class Seal {
  readonly #encryption: Buffer;
  readonly #authentication: Buffer;
  /** Texts by their seal and seals by their text, which save the work of doing it again. */
  readonly #opened = new LRUCache<string, string>(atMost(MAX_RECENT));
  readonly #sealed = new LRUCache<string, string>(atMost(MAX_RECENT));

  /** @param mac keyed hash of the installation's secret */
  constructor(mac: (text: string) => string) {
    const key = (purpose: string): Buffer => createHash('sha256').update(mac(purpose)).digest();
    [this.#encryption, this.#authentication] = [key('relay encryption'), key('relay authentication')];
  }

  /** Letters, digits, `-` and `_`: a part of any header field. */
  seal(text: string): string {
    const recent = this.#sealed.get(text);
    if (recent !== undefined) return recent;
    const tag = this.#tagOf(text);
    const cipher = createCipheriv('aes-256-ctr', this.#encryption, ivOf(tag));
    const sealed = Buffer.concat([tag, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url');
    this.#opened.set(sealed, text);
    this.#sealed.set(text, sealed);
    return sealed;
  }

  /** Null for what was not made here. */
  open(sealed: string): string | null {
    const recent = this.#opened.get(sealed);
    if (recent !== undefined) return recent;
    const bytes = Buffer.from(sealed, 'base64url');
    // Another text for the same bytes is none that was made here.
    if (bytes.length <= TAG_BYTES || bytes.toString('base64url') !== sealed) return null;
    const tag = bytes.subarray(0, TAG_BYTES);
    const decipher = createDecipheriv('aes-256-ctr', this.#encryption, ivOf(tag));
    const text = Buffer.concat([decipher.update(bytes.subarray(TAG_BYTES)), decipher.final()]).toString('utf8');
    return timingSafeEqual(this.#tagOf(text), tag) ? text : null;
  }

  /** The same for the same text, and for nobody else to compute. */
  branchOf(text: string): string {
    return `z9hG4bK${createHmac('sha256', this.#authentication).update(`branch ${text}`).digest('base64url').slice(0, 22)}`;
  }

  #tagOf(text: string): Buffer {
    return createHmac('sha256', this.#authentication).update(`text ${text}`).digest().subarray(0, TAG_BYTES);
  }
}

function ivOf(tag: Buffer): Buffer {
  return Buffer.concat([tag, Buffer.alloc(IV_BYTES - TAG_BYTES)]);
}
