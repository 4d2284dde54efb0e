import { expect } from 'chai';
import { Headers, secondsOf, splitAt } from '../../../sip/message/headers.js';
import { parseNameAddress } from '../../../sip/message/name-address.js';

/** The REGISTER of RFC 3261 §24.1, with the forms that its grammar also allows. */
const REGISTER = [
  'REGISTER sip:registrar.biloxi.com SIP/2.0',
  'Via: SIP/2.0/UDP bobspc.biloxi.com:5060;branch=z9hG4bKnashds7',
  'Max-Forwards: 70',
  'To: Bob <sip:bob@biloxi.com>',
  'f: Bob <sip:bob@biloxi.com>;tag=456248',
  'Call-ID: 843817637684230@998sdasdh09',
  'CSeq : 1826 REGISTER',
  'm: <sip:bob@192.0.2.4>, "Bob, mobile" <sip:bob@192.0.2.5;transport=tcp>',
  ' ;expires=60',
  'Contact: sip:bob@192.0.2.6;expires=30',
  'Expires: 7200',
  'Supported: path, GRUU',
  '',
  'Contact: <sip:body@192.0.2.9>',
].join('\r\n');

describe('the headers of a SIP message', () => {
  const headers = new Headers(REGISTER);

  it('are found by their names, in any case, short, and with a space before the colon', () => {
    expect(headers.first('from')).to.equal('Bob <sip:bob@biloxi.com>;tag=456248');
    expect(headers.first('cseq')).to.equal('1826 REGISTER');
    expect(headers.first('route')).to.equal(null);
    expect(headers.seconds('expires')).to.equal(7_200);
    expect(headers.seconds('max-breadth')).to.equal(null);
  });

  it('list the values of several fields, continued lines, and commas in quotes; the body has no fields', () => {
    expect(headers.list('contact')).to.deep.equal([
      '<sip:bob@192.0.2.4>',
      '"Bob, mobile" <sip:bob@192.0.2.5;transport=tcp> ;expires=60',
      'sip:bob@192.0.2.6;expires=30',
    ]);
    expect(headers.all('contact')).to.have.length(2);
  });

  it('compare tokens without regard to their case', () => {
    expect(headers.hasToken('supported', 'gruu')).to.equal(true);
    expect(headers.hasToken('supported', 'outbound')).to.equal(false);
  });

  it('survive what is no message', () => {
    for (const text of ['', '\r\n\r\n', 'REGISTER', 'A\r\nno colon\r\n: no name\r\n', 'x\r\n folded first\r\n']) {
      expect(new Headers(text).all('contact'), text).to.deep.equal([]);
    }
  });

  it('read whole numbers of seconds only', () => {
    const read = ['60', '0', '99999999999', '-1', '1.5', '', '60s'].map((text) => secondsOf(text));
    expect(read).to.deep.equal([60, 0, null, null, null, null, null]);
    expect(secondsOf('4294967296')).to.equal(2 ** 32 - 1);
  });

  it('split outside of quotes and brackets', () => {
    expect(splitAt(String.raw`"a\",b", <sip:a,b@c>,, d`, ',')).to.deep.equal([String.raw`"a\",b"`, '<sip:a,b@c>', 'd']);
  });
});

describe('an address in a header', () => {
  for (const [text, uri, parameters] of [
    ['<sip:bob@biloxi.com>', 'sip:bob@biloxi.com', {}],
    ['Bob Smith <sip:bob@biloxi.com>;tag=a6c85cf', 'sip:bob@biloxi.com', { tag: 'a6c85cf' }],
    ['"A. G. Bell; <x>" <sip:agb@bell-telephone.com> ;tag=a48s', 'sip:agb@bell-telephone.com', { tag: 'a48s' }],
    ['sip:+12125551212@server.phone2net.com;tag=887s', 'sip:+12125551212@server.phone2net.com', { tag: '887s' }],
    ['<sip:a@b;transport=tcp>;Expires=60;lr', 'sip:a@b;transport=tcp', { expires: '60', lr: null }],
    [
      '<sip:a@b>;+sip.instance="<urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6>"; reg-id = 1',
      'sip:a@b',
      { '+sip.instance': '<urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6>', 'reg-id': '1' },
    ],
  ] as const) {
    it(`is read from ${text}`, () => {
      const read = parseNameAddress(text);
      expect(read?.uri).to.equal(uri);
      expect(Object.fromEntries(read?.parameters ?? [])).to.deep.equal(parameters);
    });
  }

  for (const text of ['', '*', '<>', 'bob', '<sip:a@b', '"Bob <sip:a@b>', '<sip:a@b> x', '<sip:a b@c>']) {
    it(`is not read from ${text === '' ? 'an empty text' : text}`, () => {
      expect(parseNameAddress(text)).to.equal(null);
    });
  }
});
