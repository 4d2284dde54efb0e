import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Purposes for which keys are derived from the installation secret; each has its own key. */
type Purpose =
  | 'audit'
  | 'encryption'
  | 'api-key'
  | 'backup'
  | 'cursor'
  | 'idempotency'
  | 'link'
  | 'national-id'
  | 'edge'
  | 'engine'
  | 'pin'
  | 'code'
  | 'setup'
  | 'widget';

declare const sealed: unique symbol;

/** A text that only the installation's secret opens. */
export type Sealed = string & { readonly [sealed]: true };

const VERSION = 'v1';
const TAG_BYTES = 16;

/**
 * Protects secrets at rest with one installation secret: HKDF (RFC 5869) derives a key per purpose.
 * Encryption is AES-256-GCM; the sealed form is `v1.<nonce>.<ciphertext+tag>` in base64url.
 */
export class Cipher {
  readonly #keys = new Map<Purpose, Buffer>();

  /**
   * @param secret at least 32 characters; if it is lost, sealed values and API keys are unusable.
   */
  constructor(private readonly secret: string) {
    if (secret.length < 32) throw new Error('the installation secret needs at least 32 characters');
  }

  seal(plain: string): Sealed {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key('encryption'), nonce);
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, nonce.toString('base64url'), body.toString('base64url')].join('.') as Sealed;
  }

  /** @throws Error if the value was not sealed with this secret or was changed. */
  open(sealed: string): string {
    const [version, nonce, body] = sealed.split('.');
    if (version !== VERSION || !nonce || !body) throw new Error('not a sealed value');
    const bytes = Buffer.from(body, 'base64url');
    // Without the expected length, a shortened tag would be accepted, which is easier to guess.
    const decipher = createDecipheriv('aes-256-gcm', this.#key('encryption'), Buffer.from(nonce, 'base64url'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  }

  /** Keyed hash (HMAC-SHA256, base64url): finds a secret in the database without storing it. */
  mac(purpose: Exclude<Purpose, 'encryption'>, text: string): string {
    return createHmac('sha256', this.#key(purpose)).update(text).digest('base64url');
  }

  #key(purpose: Purpose): Buffer {
    let key = this.#keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.secret, 'hatif', purpose, 32));
      this.#keys.set(purpose, key);
    }
    return key;
  }
}
