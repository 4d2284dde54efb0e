import { expect } from 'chai';
import { SipText } from '../../../sip/message/text.js';
import { hide, withoutAddresses } from '../../../sip/relay/hiding.js';

const FIELDS = [
  'Via: SIP/2.0/UDP a;branch=1',
  'From: <sip:a@a>;tag=1',
  'To: <sip:b@b>',
  'Call-ID: c',
  'CSeq: 1 INVITE',
];
const parse = (lines: readonly string[], body = ''): SipText | null =>
  SipText.parse(Buffer.from([...lines, '', body].join('\r\n'), 'latin1'));

describe('the text of a SIP message', () => {
  it('is read and written again, byte for byte', () => {
    const lines = ['INVITE sip:b@b SIP/2.0', ...FIELDS, 'Subject: \u00e9\u0001', 'Content-Length: 3'];
    const datagram = Buffer.from([...lines, '', 'x\u00ffy'].join('\r\n'), 'latin1');
    expect(SipText.parse(datagram)?.toBuffer().equals(datagram)).to.equal(true);
  });

  it('has the fields of short names, of lists and of several lines', () => {
    const text = parse([
      ...['SIP/2.0 200 OK', 'v: SIP/2.0/UDP a;branch=1, SIP/2.0/UDP b;branch=2', 'Via: SIP/2.0/TCP c'],
      ...['f: <sip:a@a>', 't: <sip:b@b>;tag=2', 'i: c', 'CSeq: 7', '  INVITE', 'm: "a, b" <sip:x@x>'],
    ]);
    expect(text?.all('via')).to.have.length(3);
    expect(text?.first('contact')).to.equal('"a, b" <sip:x@x>');
    expect([text?.status, text?.method, text?.answered, text?.isInDialog]).to.deep.equal([200, null, 'INVITE', true]);
    expect(text?.with('Via', ['SIP/2.0/UDP d']).all('via')).to.deep.equal(['SIP/2.0/UDP d']);
  });

  for (const [what, lines, body] of [
    ['no message', ['hello', ...FIELDS], ''],
    ['another version', ['INVITE sip:b@b SIP/3.0', ...FIELDS], ''],
    ['no Call-ID', ['INVITE sip:b@b SIP/2.0', ...FIELDS.filter((field) => !field.startsWith('Call-ID'))], ''],
    ['less than it says', ['INVITE sip:b@b SIP/2.0', ...FIELDS, 'Content-Length: 9'], 'abc'],
    ['a length that is none', ['INVITE sip:b@b SIP/2.0', ...FIELDS, 'Content-Length: -1'], 'abc'],
  ] as const) {
    it(`is refused with ${what}`, () => {
      expect(parse(lines, body)).to.equal(null);
    });
  }

  it('is refused without an end of its head, and empty', () => {
    expect(SipText.parse(Buffer.from(['INVITE sip:b@b SIP/2.0', ...FIELDS].join('\r\n')))).to.equal(null);
    expect(SipText.parse(Buffer.from('\r\n\r\n'))).to.equal(null);
    expect(SipText.parse(Buffer.alloc(0))).to.equal(null);
  });

  it('takes no more of a body than it says', () => {
    expect(parse(['INVITE sip:b@b SIP/2.0', ...FIELDS, 'Content-Length: 2'], 'abc')?.body).to.equal('ab');
  });
});

describe('what the relay hides', () => {
  const hidden = { host: '203.0.113.5', inside: ['198.51.100.9', 'pbx.internal', '2001:db8::9'], media: null };
  for (const [given, shown] of [
    ['<sip:1@10.1.2.3:5080>', '<sip:1@203.0.113.5>'],
    ['<sip:1@172.31.0.9>', '<sip:1@203.0.113.5>'],
    ['<sip:1@172.32.0.9>', '<sip:1@172.32.0.9>'],
    ['<sip:1@198.51.100.9:5080;user=phone>', '<sip:1@203.0.113.5;user=phone>'],
    ['<sip:1@198.51.100.90>', '<sip:1@198.51.100.90>'],
    ['<sip:1@pbx.internal:5080>', '<sip:1@203.0.113.5>'],
    ['"pbx.internal" <sip:1@example.com>', '"pbx.internal" <sip:1@example.com>'],
    ['<sip:1@[2001:db8::9]:5080>', '<sip:1@203.0.113.5>'],
    ['<sip:1@203.0.113.5:5061>', '<sip:1@203.0.113.5:5061>'],
    ['<sip:+96610000@example.com>', '<sip:+96610000@example.com>'],
  ] as const) {
    it(`shows ${given} as ${shown}`, () => {
      expect(withoutAddresses(given, hidden)).to.equal(shown);
    });
  }

  it('leaves a private address alone that is the one of the edge', () => {
    const inLan = { host: '10.0.0.5', inside: ['10.0.0.9'], media: null };
    expect(withoutAddresses('<sip:1@10.0.0.5:5061>, <sip:1@10.0.0.9>', inLan)).to.equal(
      '<sip:1@10.0.0.5:5061>, <sip:1@10.0.0.5>',
    );
  });

  it('leaves addresses of the audio, and removes names of programs from the description', () => {
    const sdp = [
      'v=0',
      'o=FreeSWITCH 1 2 IN IP4 198.51.100.9',
      's=FreeSWITCH',
      'i=x',
      'c=IN IP4 198.51.100.9',
      'a=tool:y',
      '',
    ];
    const text = parse(['INVITE sip:b@b SIP/2.0', ...FIELDS, 'Content-Type: application/sdp'], sdp.join('\r\n'))!;
    expect(hide(text, hidden, false).body.split('\r\n')).to.deep.equal([
      ...['v=0', 'o=- 1 2 IN IP4 203.0.113.5', 's=-', 'c=IN IP4 198.51.100.9', ''],
    ]);
  });

  it('shows where audio reaches an engine behind NAT, unless the other side reaches it without', () => {
    const sdp = [
      'v=0',
      'c=IN IP4 10.0.0.9',
      'a=rtcp:10401 IN IP4 10.0.0.9',
      'c=IN IP4 0.0.0.0',
      'c=IN IP4 198.51.100.9',
      '',
    ];
    const text = parse(['INVITE sip:b@b SIP/2.0', ...FIELDS, 'Content-Type: application/sdp'], sdp.join('\r\n'))!;
    const nat = { ...hidden, media: '203.0.113.7' };
    expect(hide(text, nat, false).body.split('\r\n')).to.deep.equal([
      ...[
        'v=0',
        'c=IN IP4 203.0.113.7',
        'a=rtcp:10401 IN IP4 203.0.113.7',
        'c=IN IP4 0.0.0.0',
        'c=IN IP4 198.51.100.9',
        '',
      ],
    ]);
    expect(hide(text, nat, true).body).to.equal(sdp.join('\r\n'));
  });

  it('leaves what is no description of a session', () => {
    const text = parse(['MESSAGE sip:b@b SIP/2.0', ...FIELDS, 'Content-Type: text/plain'], 's=Asterisk')!;
    expect(hide(text, hidden, false).body).to.equal('s=Asterisk');
  });
});
