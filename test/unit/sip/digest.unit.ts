import { expect } from 'chai';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import {
  digestChallenge,
  digestResponse,
  isAnsweredBy,
  parseCredentials,
  type DigestAlgorithm,
} from '../../../sip/message/digest.js';
import { Nonces } from '../../../sip/registrar/nonces.js';
import { ownMemory } from '../../support/peers/sip/memory.js';
import { TEST_CIPHER } from '../../support/cipher.js';

/** RFC 7616 §3.9.1. */
const EXAMPLE = {
  username: 'Mufasa',
  realm: 'http-auth@example.org',
  uri: '/dir/index.html',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  count: { nc: '00000001', cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' },
};
const RESPONSES: Readonly<Record<DigestAlgorithm, string>> = {
  MD5: '8ca523f5e9506fed4657c9700eebdbec',
  'SHA-256': '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
};

function written(algorithm: DigestAlgorithm): string {
  const { username, realm, uri, nonce, count } = EXAMPLE;
  return (
    `Digest username="${username}", realm="${realm}", uri="${uri}", algorithm=${algorithm}, nonce="${nonce}", ` +
    `nc=${count.nc}, cnonce="${count.cnonce}", qop=auth, response="${RESPONSES[algorithm]}"`
  );
}

describe('digest authentication', () => {
  for (const algorithm of ['MD5', 'SHA-256'] as const) {
    it(`computes the example of RFC 7616 with ${algorithm}`, () => {
      expect(digestResponse({ ...EXAMPLE, algorithm }, 'GET', 'Circle of Life')).to.equal(RESPONSES[algorithm]);
    });

    it(`accepts the credentials of the example with ${algorithm}, and no other password or method`, () => {
      const credentials = parseCredentials(written(algorithm))!;
      expect(credentials).to.deep.include({ ...EXAMPLE, algorithm });
      expect(isAnsweredBy(credentials, 'GET', 'Circle of Life')).to.equal(true);
      expect(isAnsweredBy(credentials, 'GET', 'circle of life')).to.equal(false);
      expect(isAnsweredBy(credentials, 'REGISTER', 'Circle of Life')).to.equal(false);
    });
  }

  it('computes the example of RFC 2069, without a count', () => {
    const old = { username: 'Mufasa', realm: 'testrealm@host.com', uri: '/dir/index.html', count: null };
    const nonce = 'dcd98b7102dd2f0e8b11d0f600bfb0c093';
    expect(digestResponse({ ...old, nonce, algorithm: 'MD5' }, 'GET', 'CircleOfLife')).to.equal(
      '1949323746fe6a43ef61f9606e7febea',
    );
  });

  for (const [what, text] of [
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['no members', 'Digest '],
    ['a missing response', written('MD5').replace(/, response=.*$/, '')],
    ['an unknown algorithm', written('MD5').replace('=MD5', '=SHA-512-256')],
    ['a session algorithm', written('MD5').replace('=MD5', '=MD5-sess')],
    ['another protection', written('MD5').replace('qop=auth', 'qop=auth-int')],
    ['protection without a count', written('MD5').replace('nc=00000001, ', '')],
    ['a count of another length', written('MD5').replace('nc=00000001', 'nc=1')],
    ['a repeated member', `${written('MD5')}, nonce="another"`],
    ['a response of another length', written('MD5').replace(/response="./, 'response="')],
  ] as const) {
    it(`does not accept credentials with ${what}`, () => {
      const read = parseCredentials(text);
      expect(read !== null && isAnsweredBy(read, 'GET', 'Circle of Life')).to.equal(false);
    });
  }

  it('writes a challenge', () => {
    expect(digestChallenge('hatif', 'abc', 'SHA-256', { stale: true })).to.equal(
      'Digest realm="hatif", nonce="abc", algorithm=SHA-256, qop="auth", stale=true',
    );
    expect(digestChallenge('hatif', 'abc', 'MD5', { stale: false })).not.to.contain('stale');
  });
});

describe('nonces', () => {
  let clock: VirtualClock;
  let nonces: Nonces;
  const mac = (text: string): string => TEST_CIPHER.mac('edge', text);
  beforeEach(() => {
    clock = new VirtualClock();
    nonces = new Nonces(mac, ownMemory(), clock);
  });

  it('are all different, and fresh for five minutes in every process with the same secret', async () => {
    const nonce = nonces.issue();
    expect(nonces.issue()).not.to.equal(nonce);
    expect(new Nonces(mac, ownMemory(), clock).stateOf(nonce)).to.equal('fresh');
    await clock.advance(300_000);
    expect(nonces.stateOf(nonce)).to.equal('fresh');
    await clock.advance(1);
    expect(nonces.stateOf(nonce)).to.equal('stale');
  });

  it('are forged if somebody else made or changed them', () => {
    const nonce = nonces.issue();
    const other = new Nonces((text) => TEST_CIPHER.mac('code', text), ownMemory(), clock).issue();
    for (const forged of ['', 'abc', other, `0${nonce}`, `${nonce}0`, nonce.replace('.', '1.')]) {
      expect(nonces.stateOf(forged), forged).to.equal('forged');
    }
  });

  it('are used once with each count, and counts only increase', async () => {
    const nonce = nonces.issue();
    const uses: boolean[] = [];
    for (const count of ['00000001', '00000001', '00000002', '0000000a', '00000009']) {
      uses.push(await nonces.use(nonce, count));
    }
    expect(uses).to.deep.equal([true, false, true, true, false]);
  });

  it('are used once by a client that sends no count', async () => {
    const nonce = nonces.issue();
    expect([await nonces.use(nonce, null), await nonces.use(nonce, null)]).to.deep.equal([true, false]);
    expect(await nonces.use(nonce, '00000001')).to.equal(false);
  });
});
