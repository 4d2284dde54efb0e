import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { newRecoveryCodes, readRecoveryCode, RECOVERY_CODES } from '../../../core/model/access/recovery-codes.js';
import { relyingPartyOf } from '../../../core/model/access/relying-party.js';
import { isTotpCode, newTotpSecret, totpStep, totpUri } from '../../../core/model/access/totp.js';

describe('codes of authenticator apps', () => {
  /** RFC 6238, appendix B, with six of its eight digits. */
  const RFC_SECRET = Secret.fromLatin1('12345678901234567890').base32;

  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [20_000_000_000, '353130'],
  ] as const) {
    it(`are those of RFC 6238 at ${seconds} s`, () => {
      expect(totpStep(RFC_SECRET, code, new Date(seconds * 1000))).to.equal(Math.floor(seconds / 30));
    });
  }

  it('are known one step before and after, and not two', () => {
    const at = (step: number): Date => new Date(step * 30_000 + 1_000);
    const step = 37_037_036;
    expect(totpStep(RFC_SECRET, '081804', at(step - 1))).to.equal(step);
    expect(totpStep(RFC_SECRET, '081804', at(step + 1))).to.equal(step);
    expect(totpStep(RFC_SECRET, '081804', at(step - 2))).to.equal(null);
    expect(totpStep(RFC_SECRET, '081804', at(step + 2))).to.equal(null);
  });

  it('come from 160 random bits, in a form that apps read', () => {
    const secret = newTotpSecret();
    expect(secret)
      .to.match(/^[A-Z2-7]{32}$/)
      .and.not.equal(newTotpSecret());
    const uri = totpUri(secret, 'Hatif', 'huda@example.com');
    expect(uri).to.match(/^otpauth:\/\/totp\/Hatif:huda%40example\.com\?/);
    expect(new URL(uri).searchParams.get('secret')).to.equal(secret);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: 0 });
    expect(totpStep(secret, code, new Date(0))).to.equal(0);
  });

  it('are six digits', () => {
    expect(['123456', '12345', '1234567', '12345a', '', '９９９９９９'].map(isTotpCode)).to.deep.equal([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('recovery codes', () => {
  it('are ten different ones', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes)).to.have.lengthOf(RECOVERY_CODES);
    for (const code of codes) expect(code).to.match(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){2}$/);
  });

  it('are read however they are typed', () => {
    expect(readRecoveryCode('9K3M C7Q2 X0FW')).to.equal('9k3m-c7q2-x0fw');
    expect(readRecoveryCode('9k3mc7q2xofl')).to.equal('9k3m-c7q2-x0f1');
  });

  it('are nothing else', () => {
    for (const text of ['', '123456', '9k3m-c7q2', '9k3m-c7q2-x0fw-9k3m', '9k3m-c7q2-x0f!', '9k3m-c7q2-x0fu']) {
      expect(readRecoveryCode(text), text).to.equal(null);
    }
  });
});

describe('the site of passkeys', () => {
  it('is the domain and the origin of the public address', () => {
    expect(relyingPartyOf('https://voice.example.com:8443')).to.deep.equal({
      id: 'voice.example.com',
      origin: 'https://voice.example.com:8443',
    });
  });

  it('is localhost on the loopback', () => {
    const local = { id: 'localhost', origin: 'http://localhost:8080' };
    expect(relyingPartyOf('http://127.0.0.1:8080')).to.deep.equal(local);
    expect(relyingPartyOf('http://[::1]:8080')).to.deep.equal(local);
    expect(relyingPartyOf('http://localhost:8080')).to.deep.equal(local);
  });

  it('is none at another IP address', () => {
    expect(relyingPartyOf('http://192.0.2.7')).to.equal(null);
    expect(relyingPartyOf('https://[2001:db8::1]')).to.equal(null);
  });
});
