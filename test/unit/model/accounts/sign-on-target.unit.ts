import { expect } from 'chai';
import { isLoopbackUrl, isOwnPage } from '../../../../core/model/accounts/sign-on-target.js';

describe('Where a browser goes after a sign-in', () => {
  for (const page of [
    '/',
    '/console',
    '/console/calls?tab=live#today',
    '/a//b',
    '/%2f%2fevil.example',
    '/a?u=https://b',
  ]) {
    it(`may be ${page}`, () => {
      expect(isOwnPage(page)).to.equal(true);
    });
  }

  for (const page of [
    '',
    'console',
    'https://evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/a\r\nSet-Cookie: a=b',
    '/a b',
    '/مرحبا',
    'javascript:alert(1)',
  ]) {
    it(`is not ${JSON.stringify(page)}`, () => {
      expect(isOwnPage(page)).to.equal(false);
    });
  }

  for (const url of ['http://127.0.0.1:53682/done', 'http://[::1]:1/', 'http://127.0.0.1']) {
    it(`may be the program at ${url}`, () => {
      expect(isLoopbackUrl(url)).to.equal(true);
    });
  }

  for (const url of [
    'https://127.0.0.1/done',
    'http://localhost/done',
    'http://127.0.0.1.evil.example/',
    'http://a@127.0.0.1/',
    'http://127.0.0.1/?a=b',
    'http://127.0.0.1/#a',
    'http://10.0.0.1/',
    'program://done',
    'nonsense',
  ]) {
    it(`is not the program at ${url}`, () => {
      expect(isLoopbackUrl(url)).to.equal(false);
    });
  }
});
