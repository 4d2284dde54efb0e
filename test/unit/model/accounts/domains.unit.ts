import { expect } from 'chai';
import { challengeRecord, domainOf, readDomain } from '../../../../core/model/accounts/domains.js';

describe('Domains', () => {
  for (const [text, domain] of [
    ['example.com', 'example.com'],
    [' Example.COM ', 'example.com'],
    ['a-b.c1.example', 'a-b.c1.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['Bücher.example', 'xn--bcher-kva.example'],
  ] as const) {
    it(`are ${text.trim()}, written as DNS does`, () => {
      expect(readDomain(text)).to.equal(domain);
    });
  }

  it('are the same in Arabic and in ASCII', () => {
    const ascii = readDomain('شركة.example') ?? '';
    expect(ascii).to.match(/^xn--/);
    expect(readDomain(ascii)).to.equal(ascii);
  });

  for (const text of [
    '',
    'localhost',
    'example.com.',
    '.example.com',
    'a..example',
    'https://example.com',
    'example.com/path',
    'reem@example.com',
    '203.0.113.7',
    '[::1]',
    '-a.example',
    'a-.example',
    'a_b.example',
    'a b.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    '*.example.com',
  ]) {
    it(`are not ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(readDomain(text)).to.equal(null);
    });
  }

  it('are the part of an address behind the last @', () => {
    expect(domainOf('reem@Example.com')).to.equal('example.com');
    expect(domainOf('"a@b"@example.com')).to.equal('example.com');
    expect(domainOf('reem')).to.equal(null);
    expect(domainOf('reem@localhost')).to.equal(null);
  });

  it('are proved by a record below them', () => {
    expect(challengeRecord('example.com', 'abc')).to.deep.equal({
      name: '_hatif-challenge.example.com',
      value: 'hatif-domain=abc',
    });
  });
});
