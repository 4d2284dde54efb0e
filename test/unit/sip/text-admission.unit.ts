import { expect } from 'chai';
import type { ReceivedText } from '../../../core/model/messaging/softphone-text.js';
import { TextAdmission } from '../../../sip/calls/text-admission.js';
import { ownMemory } from '../../support/peers/sip/memory.js';
import { sipRequest } from '../../support/peers/sip/request.js';

const PLAIN = 'Content-Type: text/plain;charset=UTF-8';

describe('a text that a softphone sends to the edge', () => {
  let stored: ReceivedText[];
  let admission: TextAdmission;
  beforeEach(() => {
    stored = [];
    admission = new TextAdmission({ store: (text) => Promise.resolve(void stored.push(text)), memory: ownMemory() });
  });

  const admit = async (body: string, type = PLAIN, uri = 'sip:+966501234567@hatif') => {
    const request = sipRequest(`MESSAGE ${uri}`, ['Call-ID: one', type], undefined, body);
    await admission.admit(request, '1001');
    return request.outcomes[0];
  };

  it('is stored, and then accepted', async () => {
    expect(await admit('مرحبًا')).to.deep.include({ did: 'answered', status: 202 });
    expect(stored).to.deep.equal([{ aor: '1001', target: '+966501234567', body: 'مرحبًا', callId: 'one' }]);
    expect(await admit('Hello', 'Content-Type: text/plain')).to.deep.include({ status: 202 });
  });

  it('is plain text, not empty, of a length that SMS can have, for somebody', async () => {
    expect(await admit('<b>x</b>', 'Content-Type: text/html')).to.deep.include({
      ...{ did: 'answered', status: 415, headers: { Accept: 'text/plain' } },
    });
    expect(await admit('x', 'Content-Type: text/plain;charset=windows-1256')).to.deep.include({ status: 415 });
    expect(await admit('x', 'Subject: none')).to.deep.include({ status: 415 });
    expect(await admit(' \r\n')).to.deep.include({ status: 400 });
    expect(await admit('م'.repeat(2_001))).to.deep.include({ status: 413 });
    expect(await admit('x', PLAIN, 'sip:hatif')).to.deep.include({ status: 404 });
    expect(stored).to.deep.equal([]);
  });

  it('is one of sixty in a minute', async () => {
    for (let count = 0; count < 60; count++) expect(await admit('x')).to.deep.include({ status: 202 });
    expect(await admit('x')).to.deep.include({ status: 480, headers: { 'Retry-After': '60' } });
    expect(stored).to.have.length(60);
  });
});
