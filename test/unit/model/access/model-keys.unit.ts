import { expect } from 'chai';
import fc from 'fast-check';
import { base62 } from '../../../../core/model/access/base62.js';
import { KEY_KINDS, generateKey, hashKey, parseKey } from '../../../../core/model/access/keys.js';
import { DEFAULT_SCOPES, SCOPES, isScope } from '../../../../core/model/access/scopes.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('API keys', () => {
  for (const kind of KEY_KINDS) {
    it(`of the kind ${kind} are generated and parsed back`, () => {
      const key = generateKey(kind);
      expect(key).to.match(new RegExp(`^sk_${kind}_[0-9A-Za-z]{49}$`));
      expect(parseKey(key)).to.deep.equal({ kind, prefix: key.slice(0, `sk_${kind}_`.length + 8), valid: true });
    });
  }

  it('are all different', () => {
    expect(new Set(Array.from({ length: 1000 }, () => generateKey('live'))).size).to.equal(1000);
  });

  it('reveal any single mistyped character', () => {
    const key = generateKey('sandbox');
    for (let at = 'sk_sandbox_'.length; at < key.length; at++) {
      for (const other of ALPHABET) {
        if (other === key[at]) continue;
        const mistyped = key.slice(0, at) + other + key.slice(at + 1);
        expect(parseKey(mistyped)?.valid, mistyped).to.equal(false);
      }
    }
  });

  it('reveal two swapped neighbours, and a changed kind', () => {
    const key = generateKey('live');
    for (let at = 'sk_live_'.length; at < key.length - 1; at++) {
      if (key[at] === key[at + 1]) continue;
      const mistyped = key.slice(0, at) + key[at + 1]! + key[at]! + key.slice(at + 2);
      expect(parseKey(mistyped)?.valid, mistyped).to.equal(false);
    }
    expect(parseKey(key.replace('live', 'sandbox'))?.valid).to.equal(false);
  });

  it('are distinguished from other texts', () => {
    const key = generateKey('live');
    const others = [
      '',
      'sk_live_',
      key.slice(0, -1),
      `${key}a`,
      ` ${key}`,
      `${key}\n`,
      key.replace('sk', 'pk'),
      key.toUpperCase(),
    ];
    for (const text of others) expect(parseKey(text), text).to.equal(null);
  });

  it('are stored as SHA-256', () => {
    // FIPS 180-2 appendix B.1
    expect(hashKey('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('base 62', () => {
  it('gives each number a distinct, padded text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 62n ** 6n - 1n }), (value) => {
        const text = base62(value, 6);
        expect(text).to.have.length(6);
        expect(Array.from(text).reduce((sum, letter) => sum * 62n + BigInt(ALPHABET.indexOf(letter)), 0n)).to.equal(
          value,
        );
      }),
    );
  });
});

describe('scopes', () => {
  it('are exactly the published ones', () => {
    expect(SCOPES.join(' ')).to.equal(
      'calls:read calls:write queues:read queues:write callflows:read callflows:write numbers:read numbers:write ' +
        'virtual_numbers:read virtual_numbers:write voicemail:read voicemail:write verify:read verify:write ' +
        'voice_auth:read voice_auth:write messages:read messages:write broadcasts:read broadcasts:write contacts:read ' +
        'contacts:write usage:read webhooks:read webhooks:write web_calling:write billing:read billing:write pii:read',
    );
  });

  it('of a key for which none are named do not show full numbers', () => {
    expect(DEFAULT_SCOPES).to.deep.equal(SCOPES.filter((scope) => scope !== 'pii:read'));
  });

  it('are distinguished from other words', () => {
    expect(isScope('calls:read')).to.equal(true);
    for (const text of ['calls', 'calls:*', 'CALLS:READ', 'usage:write', '', 'constructor'])
      expect(isScope(text)).to.equal(false);
  });
});
