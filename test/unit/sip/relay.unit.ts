import { expect } from 'chai';
import type { HostPort } from '../../../core/model/host-port.js';
import { SipText } from '../../../sip/message/text.js';
import type { Hidden } from '../../../sip/relay/hiding.js';
import { RELAY_HEADER } from '../../../sip/message/own-fields.js';
import { Inwards, type OwnRequest } from '../../../sip/relay/inwards.js';
import { Outwards } from '../../../sip/relay/outwards.js';
import { Seal } from '../../../sip/relay/seal.js';
import type { Outgoing } from '../../../sip/relay/step.js';
import { Tokens } from '../../../sip/relay/tokens.js';

const mac = (text: string): string => `mac of ${text}`;
const [ENGINE, DRACHTIO, INSIDE, OUTSIDE] = [
  { host: '10.0.0.9', port: 5080 },
  { host: '127.0.0.1', port: 5060 },
  { host: '10.0.0.5', port: 5090 },
  { host: '127.0.0.1', port: 5090 },
] as const;
const PUBLIC = '203.0.113.5';
const HIDDEN: Hidden = { host: PUBLIC, inside: [INSIDE.host, ENGINE.host], media: null };
const PHONE_FLOW = 'sip:1001@198.51.100.20:41000;transport=tls';
const ROUTE = `<sip:${PUBLIC}:5061;transport=tls;lr>`;

// Another process may read what one wrote.
const reader = new Tokens(new Seal(mac));
const tokens = Object.assign(new Tokens(new Seal(mac)), { read: reader.read.bind(reader) });
const context = { seal: new Seal(mac), tokens, inside: INSIDE, outside: OUTSIDE };
const inwards = new Inwards(context);
const flows = new Map<string, string>();
const outwards = new Outwards({
  ...context,
  drachtio: () => DRACHTIO,
  transportOf: () => null,
  isNear: ({ aor }) => Promise.resolve(aor === 'near'),
  flowOf: (aor, contact) => Promise.resolve(flows.get(`${aor} ${contact}`) ?? null),
});

function message(start: string, fields: readonly string[], body = ''): SipText {
  const parsed = SipText.parse(Buffer.from([start, ...fields, '', body].join('\r\n'), 'latin1'));
  if (!parsed) throw new Error(`no message: ${start}`);
  return parsed;
}

const sent = (out: Outgoing | OwnRequest | null): Outgoing => {
  if (out === null || !('to' in out)) throw new Error('nothing was passed on');
  return out;
};

/** A response as a user agent makes it: it repeats the fields that it has to. */
function answer(request: SipText, status: string, fields: readonly string[], body = ''): SipText {
  const kept = ['Via', 'Record-Route', 'From', 'Call-ID', 'CSeq'].flatMap((name) =>
    request.all(name.toLowerCase()).map((value) => `${name}: ${value}`),
  );
  const to = request.first('to') ?? '';
  return message(
    `SIP/2.0 ${status}`,
    [...kept, `To: ${to}${to.includes('tag=') ? '' : ';tag=there'}`, ...fields],
    body,
  );
}

const DIALOG = ['From: "Reem" <sip:1001@example.com>;tag=here', 'Call-ID: c1', 'Max-Forwards: 70'];
const VIA = 'Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bKd1;rport, SIP/2.0/TLS 192.168.1.7:41000;branch=z9hG4bKp1';

describe('the relay, for a call of a phone', () => {
  const token = tokens.write('call', {
    near: '',
    uri: 'sip:+966115550100@10.0.0.9:5080',
    route: ROUTE,
    aor: '1001',
    flow: PHONE_FLOW,
  });
  const invite = (more: readonly string[] = [], uri = `sip:${token}@127.0.0.1:5090`): SipText =>
    message(`INVITE ${uri} SIP/2.0`, [
      ...[VIA, ...DIALOG, 'To: <sip:100@example.com>', 'CSeq: 1 INVITE'],
      'Contact: <sip:1001@192.168.1.7:41000;transport=tls>',
      'Record-Route: <sip:127.0.0.1:5060;lr>',
      'X-Hatif-Edge: softphone/1001/mac',
      ...more,
    ]);
  const ANSWER = [
    'Contact: <sip:asterisk@10.0.0.9:5080>',
    'Server: Asterisk PBX 22.10.1',
    'X-Asterisk-Info: secret',
    'P-Asserted-Identity: <sip:+966115550100@10.0.0.9:5080>',
    'Content-Type: application/sdp',
  ];
  const SDP = [
    ...['v=0', 'o=root 7 8 IN IP4 10.0.0.9', 's=Asterisk', 'c=IN IP4 10.0.0.9', 't=0 0'],
    ...['m=audio 10400 RTP/AVP 8', 'a=rtpmap:8 PCMA/8000', ''],
  ].join('\r\n');
  const arrived = sent(inwards.request(invite(), DRACHTIO));

  it('passes it to the engine that the edge chose, with its mark', () => {
    expect(arrived.to).to.deep.equal(ENGINE);
    expect(arrived.message.uri).to.equal('sip:+966115550100@10.0.0.9:5080');
    expect(arrived.message.first('x-hatif-edge')).to.equal('softphone/1001/mac');
    expect(arrived.message.first('max-forwards')).to.equal('69');
    expect(arrived.message.all('via')).to.have.length(3);
    expect(arrived.message.all('record-route')).to.have.length(2);
    // The address of the request is not the token where drachtio-server left it as it was.
    const other = sent(inwards.request(invite([`${RELAY_HEADER}: ${token}`], 'sip:100@example.com'), DRACHTIO));
    expect(other.message.uri).to.equal(arrived.message.uri);
    expect(other.message.first(RELAY_HEADER.toLowerCase())).to.equal(null);
  });

  it('passes the headers of the phone on, but none that the edge uses', () => {
    const own = ['X-Hatif-Order-Id: A-17', 'X-Hatif-Trunk: guessed'];
    const { message: passed } = sent(inwards.request(invite(own), DRACHTIO));
    expect(passed.first('x-hatif-order-id')).to.equal('A-17');
    expect(passed.first('x-hatif-trunk')).to.equal(null);
  });

  const branch = (text: SipText): string | undefined => /branch=([^;]+)/.exec(text.all('via')[0] ?? '')?.[1];

  it('passes a repetition on with the same branch, so that the engine recognizes it', () => {
    expect(branch(sent(inwards.request(invite(), DRACHTIO)).message)).to.equal(branch(arrived.message));
  });

  // drachtio-server 0.9.9 adds the tag of a response to the CANCEL of a call that rings (RFC 3261 §9.1 forbids it).
  for (const tag of ['', ';tag=there']) {
    it(`passes a CANCEL on with the same branch and without a tag${tag && ', although it has one'}`, () => {
      const cancel = message(`CANCEL sip:${token}@127.0.0.1:5090 SIP/2.0`, [
        ...['Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bKd1;rport', ...DIALOG],
        ...[`To: <sip:100@example.com>${tag}`, 'CSeq: 1 CANCEL'],
      ]);
      const passed = sent(inwards.request(cancel, DRACHTIO));
      expect(passed.to).to.deep.equal(ENGINE);
      expect(branch(passed.message)).to.equal(branch(arrived.message));
      expect(passed.message.first('to')).to.equal('<sip:100@example.com>');
    });
  }

  const ok = inwards.response(answer(arrived.message, '200 OK', ANSWER, SDP), ENGINE, HIDDEN)[0]!;

  it('hides the engine from the phone: its address, program and version', () => {
    expect(ok.to).to.deep.equal(DRACHTIO);
    const text = ok.message.toBuffer().toString();
    expect(text).not.to.match(/asterisk|10\.0\.0\.5/i);
    // Audio goes to this address; nothing else says it.
    expect(text.match(/10\.0\.0\.9/g)).to.have.length(1);
    expect(text).to.contain('c=IN IP4 10.0.0.9').and.contain(`o=- 7 8 IN IP4 ${PUBLIC}`).and.contain('s=-');
    expect(ok.message.first('p-asserted-identity')).to.equal(`<sip:+966115550100@${PUBLIC}>`);
    expect(ok.message.all('via')).to.have.length(2);
    expect(ok.message.all('record-route')).to.deep.equal([ROUTE]);
    expect(ok.message.first('from')).to.equal('"Reem" <sip:1001@example.com>;tag=here');
  });

  const contact = /<(sip:[^>]+)>/.exec(ok.message.first('contact') ?? '')![1]!;
  const bye = (uri = contact, to = 'To: <sip:100@example.com>;tag=there'): SipText =>
    message(`BYE ${uri} SIP/2.0`, [
      ...['Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bKd2;rport', ...DIALOG, to, 'CSeq: 2 BYE'],
      'X-Hatif-Edge: softphone/1002/guessed',
    ]);

  it('brings later requests of the phone to the engine', () => {
    const passed = sent(inwards.request(bye(), DRACHTIO));
    expect(passed.to).to.deep.equal(ENGINE);
    expect(passed.message.uri).to.equal('sip:asterisk@10.0.0.9:5080');
    expect(passed.message.first('x-hatif-edge')).to.equal(null);
    const [done] = inwards.response(answer(passed.message, '200 OK', ['Server: Asterisk']), ENGINE, HIDDEN);
    expect(done?.to).to.deep.equal(DRACHTIO);
    expect(done?.message.first('server')).to.equal(null);
  });

  it('keeps the contact within what drachtio-server can pass on', () => {
    expect(contact.length).to.be.lessThan(255);
  });

  it('answers OPTIONS of the edge, which measures its delay', () => {
    const asked = message('OPTIONS sip:127.0.0.1:5090;transport=udp SIP/2.0', [
      ...[VIA, ...DIALOG, 'To: <sip:127.0.0.1:5090>', 'CSeq: 1 OPTIONS'],
    ]);
    const { message: answer, to } = sent(inwards.request(asked, DRACHTIO));
    expect([answer.status, to]).to.deep.equal([200, DRACHTIO]);
  });

  it('takes no request that it gave no address for', () => {
    const guessed = ['sip:guessed@127.0.0.1:5090', 'sip:10.0.0.9:5080', `sip:${token}x@127.0.0.1:5090`];
    for (const uri of guessed) {
      expect(inwards.request(bye(uri), DRACHTIO), uri).to.equal(null);
      expect(inwards.request(invite([], uri), DRACHTIO), uri).to.equal(null);
    }
    // The address of an engine opens no new call.
    expect(inwards.request(bye(contact, 'To: <sip:100@example.com>'), DRACHTIO)).to.equal(null);
    expect(inwards.request(bye(`sip:${token}@127.0.0.1:5090`), DRACHTIO)).to.equal(null);
  });

  it('acknowledges a refusal to the engine, because drachtio-server acknowledges it to the relay', () => {
    const [refusal, ack] = inwards.response(answer(arrived.message, '486 Busy Here', ANSWER), ENGINE, HIDDEN);
    expect(refusal?.message.first('contact')).to.equal(null);
    expect(ack?.to).to.deep.equal(ENGINE);
    expect(ack?.message.start).to.equal('ACK sip:+966115550100@10.0.0.9:5080 SIP/2.0');
    expect(ack?.message.all('via')).to.deep.equal([arrived.message.all('via')[0]]);
    expect(ack?.message.first('cseq')).to.equal('1 ACK');
  });

  it('brings later requests of the engine to the phone, where it sends from or is now', async () => {
    const [own = '', drachtio = ''] = arrived.message.all('record-route');
    const request = message('BYE sip:1001@192.168.1.7:41000;transport=tls SIP/2.0', [
      ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe1;rport', `Route: ${own}, ${drachtio}`],
      ...['From: <sip:100@example.com>;tag=there', 'To: <sip:1001@example.com>;tag=here'],
      ...['Call-ID: c1', 'CSeq: 9 BYE', 'User-Agent: FreeSWITCH', 'Reason: Q.850;cause=16'],
    ]);
    const passed = (await outwards.request(request, ENGINE, HIDDEN))!;
    expect(passed.to).to.deep.equal(DRACHTIO);
    expect(passed.message.uri).to.equal(PHONE_FLOW);
    expect(passed.message.all('route')).to.deep.equal([drachtio]);
    expect(passed.message.toBuffer().toString()).not.to.match(/10\.0\.0\.|freeswitch/i);
    flows.set('1001 sip:1001@192.168.1.7:41000;transport=tls', 'sip:1001@198.51.100.20:52000;transport=tls');
    const anew = (await outwards.request(request, ENGINE, HIDDEN))!;
    expect(anew.message.uri).to.equal('sip:1001@198.51.100.20:52000;transport=tls');
    flows.clear();
    const back = outwards.response(answer(passed.message, '200 OK', []), DRACHTIO)!;
    expect(back.to).to.deep.equal(ENGINE);
    expect(back.message.all('via')).to.deep.equal(['SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe1;rport']);
  });

  it('lets no request go round for ever', async () => {
    const last = invite(['X: y']).map((name, value) => (name === 'max-forwards' ? '0' : value));
    const { message: refused, to } = sent(inwards.request(last, DRACHTIO));
    expect([refused.status, to]).to.deep.equal([483, DRACHTIO]);
    const out = message('INVITE sip:1001@10.0.0.5:5090 SIP/2.0', [
      ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe2', 'From: <sip:a@b>;tag=1', 'To: <sip:c@d>'],
      ...['Call-ID: c2', 'CSeq: 1 INVITE', 'Max-Forwards: 0'],
    ]);
    expect((await outwards.request(out, ENGINE, HIDDEN))?.message.status).to.equal(483);
  });
});

describe('the relay, for a call to a phone', () => {
  const invite = (more: readonly string[] = [], uri = 'sip:1001@10.0.0.5:5090'): SipText =>
    message(`INVITE ${uri} SIP/2.0`, [
      'Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe1;rport',
      'From: "Sales" <sip:+966112345678@10.0.0.9>;tag=here',
      'To: <sip:1001@10.0.0.5:5090>',
      ...[
        'Call-ID: c1',
        'CSeq: 1 INVITE',
        'Contact: <sip:mod_sofia@10.0.0.9:5080>',
        'User-Agent: FreeSWITCH-mod_sofia/1.10',
      ],
      ...more,
    ]);
  const passedOn = async (text = invite(), source: HostPort = ENGINE): Promise<Outgoing> =>
    (await outwards.request(text, source, HIDDEN))!;

  it('passes it to the edge, and hides the engine', async () => {
    const { message: passed, to } = await passedOn();
    expect(to).to.deep.equal(DRACHTIO);
    expect(passed.uri).to.equal('sip:1001@127.0.0.1:5060');
    expect(passed.first('from')).to.equal(`"Sales" <sip:+966112345678@${PUBLIC}>;tag=here`);
    expect(passed.first('to')).to.equal(`<sip:1001@${PUBLIC}>`);
    expect(passed.all('via')).to.have.length(1);
    expect(passed.toBuffer().toString()).not.to.match(/10\.0\.0\.|sofia/i);
    const one = await passedOn(invite([], 'sip:1001@10.0.0.5:5090;gr=urn:uuid:1'));
    expect(one.message.uri).to.equal('sip:1001@127.0.0.1:5060;gr=urn:uuid:1');
  });

  it('gives the engine a way for later requests, and the phone none but the contact', async () => {
    const { message: passed } = await passedOn();
    const ringing = answer(passed, '200 OK', [
      ...[
        'Record-Route: <sip:203.0.113.5:5061;transport=tls;lr>',
        'Contact: <sip:x7f@192.168.1.7:41000;transport=tls>',
      ],
    ]);
    const { message: ok, to } = outwards.response(ringing, DRACHTIO)!;
    expect(to).to.deep.equal(ENGINE);
    const [phoneRoute, own = ''] = ok.all('record-route');
    expect(phoneRoute).to.equal('<sip:203.0.113.5:5061;transport=tls;lr>');
    flows.set('1001 sip:x7f@192.168.1.7:41000;transport=tls', 'sip:x7f@198.51.100.20:41000;transport=tls');
    const ack = message('ACK sip:x7f@192.168.1.7:41000;transport=tls SIP/2.0', [
      ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe2', `Route: ${own}`, `Route: ${phoneRoute}`],
      ...['From: <sip:a@b>;tag=here', 'To: <sip:1001@10.0.0.5>;tag=there', 'Call-ID: c1', 'CSeq: 1 ACK'],
    ]);
    const acknowledged = await passedOn(ack);
    flows.clear();
    expect(acknowledged.message.uri).to.equal('sip:x7f@198.51.100.20:41000;transport=tls');
    expect(acknowledged.message.all('route')).to.deep.equal([phoneRoute]);
    // A response to a later INVITE changes no way.
    const again = await passedOn(ack.map((name, value) => (name === 'cseq' ? '2 INVITE' : value)));
    const later = answer(again.message, '200 OK', ['Contact: <sip:x7f@192.168.1.7>']);
    expect(outwards.response(later, DRACHTIO)?.message.all('record-route')).to.deep.equal([]);
  });

  it('leaves the address of a phone alone whose call drachtio-server itself leads', async () => {
    const { message: passed } = await passedOn();
    const { message: ok } = outwards.response(answer(passed, '200 OK', ['Contact: <sip:203.0.113.5:5060>']), DRACHTIO)!;
    flows.set('1001 sip:203.0.113.5:5060', 'sip:wrong@192.0.2.1');
    const bye = message('BYE sip:203.0.113.5:5060 SIP/2.0', [
      ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe3', `Route: ${ok.all('record-route')[0]}`],
      ...['From: <sip:a@b>;tag=here', 'To: <sip:1001@c>;tag=there', 'Call-ID: c1', 'CSeq: 2 BYE'],
    ]);
    expect((await passedOn(bye)).message.uri).to.equal('sip:203.0.113.5:5060');
    flows.clear();
  });

  it('refuses a request in a dialog without a way', async () => {
    const lost = invite().map((name, value) => (name === 'to' ? `${value};tag=there` : value));
    expect((await passedOn(lost)).message.status).to.equal(481);
  });

  it('passes the ACK of a refusal on', async () => {
    const ack = message('ACK sip:1001@10.0.0.5:5090 SIP/2.0', [
      ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe1', 'From: <sip:a@b>;tag=here', 'To: <sip:1001@c>;tag=there'],
      ...['Call-ID: c1', 'CSeq: 1 ACK'],
    ]);
    const branch = (text: SipText): string | undefined => /branch=([^;]+)/.exec(text.all('via')[0] ?? '')?.[1];
    expect(branch((await passedOn(ack)).message)).to.equal(branch((await passedOn()).message));
  });
});

describe('the relay before engines behind NAT', () => {
  const NAT: Hidden = { ...HIDDEN, media: PUBLIC };
  const SDP = ['v=0', 'c=IN IP4 10.0.0.9', ''].join('\r\n');
  const TYPE = 'Content-Type: application/sdp';
  const heard = (text: SipText | undefined): string | undefined => /^c=IN IP4 (\S+)/m.exec(text?.body ?? '')?.[1];

  for (const [who, near, expected] of [
    ['far', '', PUBLIC],
    ['near', 'near', ENGINE.host],
  ] as const) {
    it(`shows ${expected} to a caller who is ${who}, in the whole call`, async () => {
      const token = tokens.write('call', { uri: 'sip:100@10.0.0.9:5080', route: ROUTE, aor: '1001', flow: '', near });
      const invite = message(`INVITE sip:${token}@127.0.0.1:5090 SIP/2.0`, [
        ...[VIA, ...DIALOG, 'To: <sip:100@example.com>', 'CSeq: 1 INVITE', 'Contact: <sip:1001@192.168.1.7>'],
      ]);
      const { message: arrived } = sent(inwards.request(invite, DRACHTIO));
      const answered = answer(arrived, '200 OK', ['Contact: <sip:a@10.0.0.9:5080>', TYPE], SDP);
      const { message: ok } = inwards.response(answered, ENGINE, NAT)[0]!;
      expect(heard(ok)).to.equal(expected);
      const contact = /<([^>]+)>/.exec(ok.first('contact') ?? '')![1]!;
      const hold = message(`INVITE ${contact} SIP/2.0`, [
        ...[VIA, ...DIALOG, 'To: <sip:100@example.com>;tag=there', 'CSeq: 2 INVITE', 'Contact: <sip:1001@192.168.1.7>'],
      ]);
      const held = answer(sent(inwards.request(hold, DRACHTIO)).message, '200 OK', [TYPE], SDP);
      expect(heard(inwards.response(held, ENGINE, NAT)[0]?.message)).to.equal(expected);
      const again = message(
        'INVITE sip:1001@192.168.1.7 SIP/2.0',
        [
          ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe1', `Route: ${arrived.all('record-route')[0]}`],
          ...['From: <sip:a@b>;tag=there', 'To: <sip:c@d>;tag=here', 'Call-ID: c1', 'CSeq: 9 INVITE'],
          ...['Contact: <sip:a@10.0.0.9:5080>', TYPE],
        ],
        SDP,
      );
      const renewed = (await outwards.request(again, ENGINE, NAT))?.message;
      expect(heard(renewed)).to.equal(expected);
      expect(renewed?.first('contact'), 'the same as before').to.equal(ok.first('contact'));
    });

    it(`shows ${expected} to a phone that is ${who}`, async () => {
      const invite = message(
        `INVITE sip:${who}@10.0.0.5:5090 SIP/2.0`,
        [
          ...[
            'Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe1',
            'From: <sip:a@b>;tag=1',
            'To: <sip:c@d>',
            'Call-ID: c2',
          ],
          ...['CSeq: 1 INVITE', 'Contact: <sip:a@10.0.0.9:5080>', TYPE],
        ],
        SDP,
      );
      const passed = (await outwards.request(invite, ENGINE, NAT))!.message;
      expect(heard(passed)).to.equal(expected);
      const ok = outwards.response(answer(passed, '200 OK', ['Contact: <sip:x@192.168.1.7>']), DRACHTIO)!.message;
      const again = message(
        'INVITE sip:x@192.168.1.7 SIP/2.0',
        [
          ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe2', `Route: ${ok.all('record-route')[0]}`],
          ...['From: <sip:a@b>;tag=1', 'To: <sip:c@d>;tag=there', 'Call-ID: c2', 'CSeq: 2 INVITE', TYPE],
        ],
        SDP,
      );
      expect(heard((await outwards.request(again, ENGINE, NAT))?.message)).to.equal(expected);
    });
  }
});
