import { expect } from 'chai';
import fc from 'fast-check';
import { formatSipUri, parseSipUri, type SipUri } from '../../../core/model/sip-uri.js';

const uri = (parts: Partial<SipUri>): SipUri => ({
  scheme: 'sip',
  user: null,
  host: 'example.com',
  port: null,
  transport: null,
  parameters: {},
  ...parts,
});

describe('SIP URIs', () => {
  const accepted: [text: string, parsed: SipUri][] = [
    ['sip:alice@example.com', uri({ user: 'alice' })],
    ['sip:example.com', uri({})],
    ['SIP:Alice@EXAMPLE.com', uri({ user: 'Alice' })],
    ['sips:alice@example.com:5061', uri({ scheme: 'sips', user: 'alice', port: 5061 })],
    ['sip:+966501234567@127.0.0.1:5070', uri({ user: '+966501234567', host: '127.0.0.1', port: 5070 })],
    ['sip:[2001:DB8::10]:5060', uri({ host: '2001:db8::10', port: 5060 })],
    ['sip:a@example.com;transport=TCP', uri({ user: 'a', transport: 'tcp' })],
    ['sip:a@example.com;lr;transport=tls;x=1', uri({ user: 'a', transport: 'tls', parameters: { lr: null, x: '1' } })],
    ['sip:a%20b@example.com', uri({ user: 'a%20b' })],
    ['sip:*45~1!_.-+@example.com', uri({ user: '*45~1!_.-+' })],
    ['sip:echo@a-b.example.com.', uri({ user: 'echo', host: 'a-b.example.com.' })],
    ['sip:localhost', uri({ host: 'localhost' })],
  ];
  for (const [text, parsed] of accepted) {
    it(`parse ${text}`, () => {
      expect(parseSipUri(text)).to.deep.equal(parsed);
      expect(parseSipUri(formatSipUri(parsed))).to.deep.equal(parsed);
    });
  }

  const refused = [
    '',
    'sip:',
    'sip:@example.com',
    'sip:alice@',
    'alice@example.com',
    'tel:+966501234567',
    'http://example.com',
    'sip://example.com',
    'sip:alice:secret@example.com',
    'sip:alice@example.com?Subject=x',
    'sip:a@b@example.com',
    'sip:a b@example.com',
    'sip:a&PJSIP/trunk@example.com',
    'sip:a,b@example.com',
    'sip:1000;phone-context=x@example.com',
    'sip:${EXEC}@example.com',
    'sip:a%0d%0ab@example.com',
    'sip:a%7fb@example.com',
    'sip:a%zz@example.com',
    'sip:a@example.com\r\nVia: x',
    'sip:a@example.com\n',
    'sip:a\r\n@example.com',
    'sip:a@example.com;x=\r\ny',
    'sip:a@exa mple.com',
    'sip:a@-example.com',
    'sip:a@example-.com',
    'sip:a@example..com',
    'sip:a@1.2.3',
    'sip:a@256.1.1.1',
    'sip:a@[::1',
    'sip:a@[nonsense]',
    'sip:a@[fe80::1%eth0]',
    'sip:a@example.com:0',
    'sip:a@example.com:65536',
    'sip:a@example.com:50600000',
    'sip:a@example.com:',
    'sip:a@example.com;',
    'sip:a@example.com;transport=carrier-pigeon',
    'sip:a@example.com;transport',
    'sips:a@example.com;transport=udp',
    'sip:a@example.com;x=1;x=2',
    'sip:a@example.com;x=1=2',
    'sip:<a@example.com>',
    `sip:${'a'.repeat(300)}@example.com`,
  ];
  for (const text of refused) {
    it(`reject ${JSON.stringify(text.slice(0, 60))}`, () => expect(parseSipUri(text)).to.equal(null));
  }

  it('never contain anything that could break a SIP line, whatever the input', () => {
    const pieces = fc.array(
      fc.constantFrom(
        'sip:',
        'a',
        '@',
        'b.c',
        ':5060',
        ';',
        'x=1',
        '\r\n',
        ' ',
        '<',
        '?',
        '&',
        '%0a',
        '%41',
        '[::1]',
        '"',
      ),
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const parsed = parseSipUri(`sip:${parts.join('')}`);
        if (parsed !== null)
          expect(formatSipUri(parsed))
            .to.match(/^sip:[^\s<>"?&,]+$/)
            .and.not.include('%0a');
      }),
      { numRuns: 2000 },
    );
  });
});
