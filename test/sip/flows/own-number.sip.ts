import { join } from 'node:path';
import { expect } from 'chai';
import { openSpeech } from '../../../adapters/speech/index.js';
import { mediaFolder } from '../../../main/install/places.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { digitPrompts, digitsSaid } from '../../support/judges/spoken-digits.js';
import { withPlatform } from '../../support/platform/with-platform.js';

/** The call lasts half a minute. */
const CALL_MS = 60_000;
const NUMBER = '+966501234588';

describe('a customer’s own number', function () {
  this.timeout(120_000);
  let stage: TestPlatform;
  let carrier: Baresip;
  withPlatform(async (made) => {
    stage = made;
    carrier = await stage.carrier();
  });

  it('is assigned after the customer enters the code spoken in the verification call', async () => {
    const json = { number: NUMBER, language: 'en' };
    const claim = await stage.request('POST', '/v1/numbers/own-did', { json });
    expect(claim.status, claim.text).to.equal(201);
    const call = await carrier.incoming();
    await carrier.answer(call);
    const { db } = stage.platform.stores;
    const [{ id: callId } = { id: '' }] = await db.query<{ id: string }>(`SELECT id FROM calls WHERE system`);
    expect(claim.text).not.to.contain(callId);
    expect(await stage.latest(), 'the claimant does not see the call').to.deep.equal([]);
    const recording = await stage.request('POST', `/v1/calls/${callId}/recording/start`);
    expect([recording.status, recording.body?.error_code], recording.text).to.deep.equal([404, 'CALL_NOT_FOUND']);
    await carrier.closed(call, CALL_MS);
    expect(await db.query(`SELECT id FROM recordings`)).to.deep.equal([]);
    const speech = await openSpeech({ espeak: stage.parts.speech }, join(mediaFolder(stage.settings), 'speech'));
    const said = digitsSaid(carrier.heard(call), await digitPrompts(speech, 'en'));
    expect(said).to.match(/^(\d{6})\1$/);

    const verify = `/v1/numbers/own-did/${String(claim.body?.id)}/verify`;
    const verified = await stage.request('POST', verify, { json: { code: said.slice(0, 6) } });
    expect([verified.status, verified.body?.status], verified.text).to.deep.equal([200, 'verified']);
    const number = await stage.request('GET', `/v1/numbers/${String(verified.body?.number_id)}`);
    expect(number.body).to.include({ e164: NUMBER, source: 'own', status: 'assigned' });
    expect(stage.receiver.requests.filter(({ type }) => type.startsWith('call.'))).to.deep.equal([]);
  });
});
