import { expect } from 'chai';
import type { SipContactRow } from '../../../core/data/rows.js';
import { EdgeTexts } from '../../../sip/calls/texts.js';
import type { HeaderFields, SipTarget } from '../../../sip/message/request.js';
import { contactRow } from '../../support/peers/sip/request.js';

const COMMAND = { type: 'send_text', attemptId: 'one', aor: '1001', from: 'My Shop', body: 'مرحبًا' } as const;
const OTHER = contactRow({ key: 'other', uri: 'sip:1001@192.0.2.11:5062', source_host: '192.0.2.11' });

describe('texts at the SIP edge', () => {
  let sent: { target: SipTarget; headers: HeaderFields; body: string }[];
  let counts: Map<string, number>;
  beforeEach(() => {
    sent = [];
    counts = new Map();
  });

  const edgeWith = (rows: readonly SipContactRow[], statuses: readonly (number | null)[], parts: object = {}) =>
    new EdgeTexts({
      location: { of: () => Promise.resolve(rows) },
      memory: {
        count: (key) => {
          counts.set(key, (counts.get(key) ?? 0) + 1);
          return Promise.resolve(counts.get(key) ?? 0);
        },
      },
      security: { phonesNeedTls: false },
      canSend: () => true,
      host: () => '203.0.113.5',
      send: (method, target, headers, body) => {
        expect(method).to.equal('MESSAGE');
        return Promise.resolve(statuses[sent.push({ target, headers, body }) - 1] ?? null);
      },
      ...parts,
    });

  it('go to every phone, and are delivered if one has it', async () => {
    const edge = edgeWith([contactRow(), OTHER], [480, 200]);
    expect(await edge.command(COMMAND)).to.deep.equal({ result: 'text', text: { result: 'delivered' } });
    expect(sent.map(({ target }) => target.uri)).to.deep.equal(['sip:1001@192.0.2.10:5062', OTHER.uri]);
    expect(sent[0]).to.deep.include({ body: COMMAND.body });
    expect(sent[0]!.headers).to.deep.equal({
      From: '<sip:My-Shop@203.0.113.5>',
      To: '<sip:1001@203.0.113.5>',
      'Content-Type': 'text/plain;charset=UTF-8',
    });
  });

  it('report the status if no phone takes them', async () => {
    expect(await edgeWith([contactRow()], [603]).command(COMMAND)).to.deep.equal({
      ...{ result: 'text', text: { result: 'refused', status: 603 } },
    });
    expect(await edgeWith([OTHER], [null]).command({ ...COMMAND, attemptId: 'two' })).to.deep.equal({
      ...{ result: 'text', text: { result: 'refused', status: null } },
    });
  });

  it('are sent by one of several processes, and once', async () => {
    const edge = edgeWith([contactRow()], [200]);
    const outcomes = await Promise.all([edge.command(COMMAND), edge.command(COMMAND)]);
    expect(outcomes.map(({ result }) => result)).to.deep.equal(['text', 'elsewhere']);
    expect(sent).to.have.length(1);
  });

  it('are not sent without a phone, over a transport that phones may not use, and without drachtio-server', async () => {
    const nobody = { result: 'text', text: { result: 'not_registered' } };
    expect(await edgeWith([], []).command(COMMAND)).to.deep.equal(nobody);
    const strict = edgeWith([contactRow()], [], { security: { phonesNeedTls: true } });
    expect(await strict.command({ ...COMMAND, attemptId: 'two' })).to.deep.equal(nobody);
    const lost = edgeWith([contactRow()], [], { canSend: () => false });
    expect(await lost.command({ ...COMMAND, attemptId: 'three' })).to.deep.equal({ result: 'not_controllable' });
    expect(sent).to.deep.equal([]);
  });
});
