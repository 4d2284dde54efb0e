import { expect } from 'chai';
import type { SipContactRow } from '../../../core/data/rows.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { Registrar } from '../../../sip/registrar/registrar.js';
import { sipRequest, type SipOutcome } from '../../support/peers/sip/request.js';

describe('the registrar', () => {
  let isAllowed: boolean;
  let rows: readonly SipContactRow[];
  const registrar = new Registrar({
    location: {
      change(_, decide) {
        rows = decide(rows).put;
        return Promise.resolve(rows);
      },
    },
    mayAddPath: () => isAllowed,
    clock: new VirtualClock(),
  });
  beforeEach(() => {
    [isAllowed, rows] = [false, []];
  });

  async function answerTo(fields: readonly string[], to = 'sip:1001@hatif.example'): Promise<SipOutcome> {
    const usual = [`To: <${to}>`, 'Call-ID: a', 'CSeq: 1 REGISTER', 'Contact: <sip:1001@192.0.2.10:5062>'];
    const request = sipRequest('REGISTER sip:hatif.example', [...usual, ...fields]);
    await registrar.register(request, '1001');
    expect(request.outcomes).to.have.length(1);
    return request.outcomes[0]!;
  }

  it('answers with the contacts and the extensions that it knows', async () => {
    expect(await answerTo([])).to.deep.equal({
      did: 'answered',
      status: 200,
      headers: {
        Contact: ['<sip:1001@192.0.2.10:5062>;expires=300'],
        Supported: 'path, outbound, gruu',
        Date: 'Thu, 01 Jan 2026 00:00:00 GMT',
      },
    });
  });

  it('registers nobody for somebody else', async () => {
    for (const to of ['sip:1002@hatif.example', 'sip:hatif.example', 'tel:1001']) {
      expect(await answerTo([], to), to).to.include({ did: 'answered', status: 403 });
    }
    expect(rows).to.deep.equal([]);
  });

  it('names an extension that it does not know', async () => {
    const answer = await answerTo(['Require: outbound, magic']);
    expect(answer).to.deep.equal({
      ...{ did: 'answered', status: 420, reason: 'Bad Extension' },
      headers: { Unsupported: 'magic' },
    });
  });

  it('says what is wrong with a contact', async () => {
    const answer = await answerTo(['Expires: 10']);
    expect(answer).to.deep.include({ status: 423, headers: { 'Min-Expires': '60' } });
  });

  it('accepts a path only from proxies that the operator allows', async () => {
    const path = ['Path: <sip:sbc.example;lr>', 'Supported: path'];
    expect(await answerTo(path)).to.include({ did: 'answered', status: 403 });
    expect(rows).to.deep.equal([]);
    isAllowed = true;
    expect(await answerTo(path)).to.include({ did: 'answered', status: 200 });
    expect(rows[0]?.path).to.deep.equal(['sip:sbc.example;lr']);
  });
});
