import { expect } from 'chai';
import type { ContactChange } from '../../../core/data/repositories/sip/contacts.js';
import type { SipContactRow } from '../../../core/data/rows.js';
import { Headers } from '../../../sip/message/headers.js';
import { registeredFields } from '../../../sip/registrar/contact-fields.js';
import { planRegister, RegisterRefusal } from '../../../sip/registrar/register.js';
import { contactRow, PHONE } from '../../support/peers/sip/request.js';

const NOW = new Date('2026-01-01T00:01:00.000Z');
const LIMITS = { shortest: 60, longest: 3_600, usual: 300, contacts: 2 };
const INSTANCE = '<urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6>';
const A = 'sip:1001@192.0.2.10:5062';
const B = 'sip:1001@192.0.2.11:5062';

const headersOf = (fields: readonly string[], cseq = 2, callId = 'a'): Headers =>
  new Headers(
    ['REGISTER sip:hatif SIP/2.0', `Call-ID: ${callId}`, `CSeq: ${cseq} REGISTER`, ...fields, '', ''].join('\r\n'),
  );
const plan = (fields: readonly string[], known: readonly SipContactRow[] = [], cseq = 2): ContactChange =>
  planRegister({ aor: '1001', source: PHONE, headers: headersOf(fields, cseq) }, known, NOW, LIMITS);
const secondsOf = ({ put }: ContactChange): (readonly [string, number])[] =>
  put.map((row) => [row.uri, (row.expires_at.getTime() - NOW.getTime()) / 1000] as const);
const refusalOf = (fields: readonly string[], known: readonly SipContactRow[] = [], cseq = 2): string => {
  try {
    plan(fields, known, cseq);
  } catch (error) {
    if (error instanceof RegisterRefusal) return `${error.status} ${error.reason}`;
    throw error;
  }
  return 'accepted';
};

describe('a REGISTER', () => {
  it('without contacts changes nothing', () => {
    expect(plan(['Expires: 60'], [contactRow()])).to.deep.equal({ put: [], remove: [] });
  });

  it('gives each contact its own time: its parameter, else the header, else the usual one', () => {
    const both = plan([`Contact: <${A}>;expires=120, <${B}>`, 'Expires: 600']);
    expect(secondsOf(both)).to.deep.equal([
      [A, 120],
      [B, 600],
    ]);
    expect(secondsOf(plan([`Contact: ${A}`]))).to.deep.equal([[A, 300]]);
  });

  it('gets no more than the longest time, and is refused below the shortest', () => {
    expect(secondsOf(plan([`Contact: <${A}>;expires=86400`]))).to.deep.equal([[A, 3_600]]);
    expect(refusalOf([`Contact: <${A}>;expires=59`])).to.equal('423 Interval Too Brief');
  });

  it('notes where it came from, its order and its sender', () => {
    const { put } = plan([`Contact: <${A}>`, 'User-Agent: phone', 'Path: <sip:p1.example;lr>, <sip:p2.example;lr>']);
    expect(put).to.have.length(1);
    expect(put[0]).to.deep.include({
      ...{ aor: '1001', key: A, source_host: PHONE.host, source_port: PHONE.port, transport: 'udp' },
      ...{ call_id: 'a', cseq: 2, user_agent: 'phone', path: ['sip:p1.example;lr', 'sip:p2.example;lr'] },
    });
  });

  it('refreshes a contact, removes it with zero, and all with an asterisk', () => {
    const known = [contactRow(), contactRow({ key: B, uri: B, call_id: 'b' })];
    const refreshed = plan([`Contact: <${A}>`], known);
    expect(refreshed.put.map(({ key }) => key)).to.deep.equal([A]);
    expect(refreshed.remove).to.deep.equal([]);
    expect(plan([`Contact: <${A}>;expires=0`], known)).to.deep.equal({ put: [], remove: [A] });
    expect(plan(['Contact: *', 'Expires: 0'], known)).to.deep.equal({ put: [], remove: [A, B] });
  });

  for (const [what, fields] of [
    ['an asterisk without zero', ['Contact: *']],
    ['an asterisk with a time', ['Contact: *', 'Expires: 60']],
    ['an asterisk beside a contact', [`Contact: *, <${A}>`, 'Expires: 0']],
    ['a contact that is no address', ['Contact: nobody']],
    ['a contact of another scheme', ['Contact: <tel:+966115550101>']],
    ['a contact with a control character', ['Contact: <sip:a%00b@192.0.2.1>']],
  ] as const) {
    it(`is refused with ${what}`, () => {
      expect(refusalOf(fields)).to.equal('400 Invalid Contact');
    });
  }

  it('is refused with a path that is none', () => {
    expect(refusalOf([`Contact: <${A}>`, 'Path: nowhere'])).to.equal('400 Invalid Path');
  });

  it('is refused if it is older than the last one of the same Call-ID', () => {
    const known = [contactRow({ cseq: 5 })];
    expect(refusalOf([`Contact: <${A}>`], known, 5)).to.equal('400 CSeq Too Low');
    expect(refusalOf([`Contact: *`, 'Expires: 0'], known, 4)).to.equal('400 CSeq Too Low');
    expect(refusalOf([`Contact: <${A}>`], known, 6)).to.equal('accepted');
    expect(refusalOf([`Contact: <${A}>`], [contactRow({ cseq: 5, call_id: 'after a restart' })], 1)).to.equal(
      'accepted',
    );
  });

  it('of a phone with an instance replaces its old address', () => {
    const instance = `+sip.instance="${INSTANCE}"`;
    const [first] = plan([`Contact: <${A}>;${instance}`]).put;
    const moved = plan([`Contact: <${B}>;${instance}`], [first!], 3);
    expect(moved.put.map(({ key, uri }) => [key, uri])).to.deep.equal([[first!.key, B]]);
    expect(moved.remove).to.deep.equal([]);
  });

  it('keeps the flows of one phone apart', () => {
    const flow = (id: number, uri: string): string => `<${uri}>;reg-id=${id};+sip.instance="${INSTANCE}"`;
    const { put } = plan([`Contact: ${flow(1, A)}, ${flow(2, B)}`]);
    expect(put.map(({ key }) => key)).to.deep.equal([`${INSTANCE} 1`, `${INSTANCE} 2`]);
  });

  it('of one phone too many replaces the one that was refreshed longest ago', () => {
    const known = [contactRow({ call_id: 'x' }), contactRow({ key: B, uri: B, call_id: 'y' })];
    expect(plan(['Contact: <sip:1001@192.0.2.12>'], known).remove).to.deep.equal([B]);
    const three = ['1', '2', '3'].map((host) => `<sip:1001@192.0.2.${host}>`).join(', ');
    expect(refusalOf([`Contact: ${three}`])).to.equal('403 Too Many Contacts');
  });
});

describe('the response to a REGISTER', () => {
  const fields = (headers: readonly string[], rows = [contactRow()]): Readonly<Record<string, unknown>> =>
    registeredFields(rows, headersOf(headers), NOW, 'hatif.example');

  it('lists each contact with the time that it has left', () => {
    expect(fields([]).Contact).to.deep.equal([`<${A}>;expires=240`]);
    expect(fields([], [])).not.to.have.property('Contact');
  });

  it('repeats the path for a phone that knows paths', () => {
    expect(fields(['Path: <sip:p1.example;lr>', 'Supported: path']).Path).to.deep.equal(['<sip:p1.example;lr>']);
    expect(fields(['Path: <sip:p1.example;lr>'])).not.to.have.property('Path');
  });

  it('gives a phone with an instance an address of its own, if it asks', () => {
    const row = contactRow({ instance: INSTANCE, key: `${INSTANCE} 1` });
    const contact = `Contact: <${A}>;reg-id=1;+sip.instance="${INSTANCE}"`;
    const gruu = `pub-gruu="sip:1001@hatif.example;gr=urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`;
    const asked = fields([contact, 'Supported: outbound, gruu'], [row]);
    expect(asked.Contact).to.deep.equal([`<${A}>;expires=240;+sip.instance="${INSTANCE}";reg-id=1;${gruu}`]);
    expect(asked.Require).to.equal('outbound');
    const plain = fields([contact], [row]);
    expect(plain.Contact).to.deep.equal([`<${A}>;expires=240;+sip.instance="${INSTANCE}";reg-id=1`]);
    expect(plain).not.to.have.property('Require');
  });
});
