import { expect } from 'chai';
import fc from 'fast-check';
import { Cipher } from '../../../../core/model/access/cipher.js';

const cipher = new Cipher('a secret of at least 32 characters');
const other = new Cipher('another secret of over 32 characters');

describe('the cipher', () => {
  it('opens what it sealed, and never seals the same way twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
        const sealed = cipher.seal(plain);
        expect(cipher.open(sealed)).to.equal(plain);
        expect(cipher.seal(plain)).to.not.equal(sealed);
      }),
    );
  });

  it('refuses values that were changed or sealed with another secret', () => {
    const sealed = cipher.seal('+966501234567');
    const [version, nonce, body] = sealed.split('.') as [string, string, string];
    const bytes = Buffer.from(body, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(() => cipher.open([version, nonce, changed.toString('base64url')].join('.')), `byte ${at}`).to.throw();
    }
    expect(() => other.open(sealed)).to.throw();
    for (const text of ['', 'v1', 'v1..', 'v2.a.b', sealed.slice(3)]) expect(() => cipher.open(text), text).to.throw();
  });

  it('refuses a shortened tag', () => {
    const [version, nonce, body] = cipher.seal('').split('.') as [string, string, string];
    const tag = Buffer.from(body, 'base64url');
    expect(tag).to.have.length(16);
    for (const length of [4, 8, 12, 15]) {
      const short = tag.subarray(0, length).toString('base64url');
      expect(() => cipher.open([version, nonce, short].join('.')), `${length} bytes`).to.throw();
    }
  });

  it('gives a different hash for each purpose and each secret', () => {
    const purposes = ['api-key', 'cursor', 'idempotency', 'link'] as const;
    const hashes = [cipher, other].flatMap((one) => purposes.map((purpose) => one.mac(purpose, 'text')));
    expect(new Set(hashes).size).to.equal(8);
    expect(new Cipher('a secret of at least 32 characters').mac('link', 'text')).to.equal(cipher.mac('link', 'text'));
    for (const hash of hashes) expect(hash).to.match(/^[\w-]{43}$/);
  });

  it('requires a long enough secret', () => expect(() => new Cipher('x'.repeat(31))).to.throw('32 characters'));
});
