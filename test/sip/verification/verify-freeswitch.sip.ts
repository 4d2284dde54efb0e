import { expect } from 'chai';
import { loudSeconds } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import type { Baresip } from '../../support/phones/index.js';
import { digitPromptsOf, digitsSaid } from '../../support/judges/spoken-digits.js';
import { CUSTOMER } from '../../support/calls/trunk-talkers.js';

const CALL_MS = 60_000;

describeFreeswitch('verification and authentication on FreeSWITCH', () => {
  let stage: FreeswitchStage;
  let carrier: Baresip;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    ({ carrier } = await stage.application.talkers(stage.carrierPort));
  });
  after(() => stage.close());

  it('speaks a code that verifies the number', async function () {
    this.timeout(120_000);
    const json = { to: CUSTOMER, channel: 'voice', language: 'en', code_length: 4 };
    const { body, text, status } = await stage.application.request('POST', '/v1/verify', json);
    expect(status, text).to.equal(201);
    const call = await carrier.incoming();
    await carrier.answer(call);
    await carrier.closed(call, CALL_MS);
    const said = digitsSaid(carrier.heard(call), await digitPromptsOf(stage.application.dataDir, 'en'));
    expect(said).to.match(/^(\d{4})\1$/);
    const entered = { verification_id: body?.verification_id, code: said.slice(0, 4) };
    const checked = await stage.application.request('POST', '/v1/verify/check', entered);
    expect(checked.body).to.include({ state: 'verified', verified: true });
  });

  it('approves a challenge by the digits on the screen', async () => {
    const json = { to: CUSTOMER, language: 'en' };
    const { body, text, status } = await stage.application.request('POST', '/v1/voice-auth/challenges', json);
    expect(status, text).to.equal(202);
    const call = await carrier.incoming();
    await carrier.answer(call);
    await carrier.waitToHear((audio) => loudSeconds(audio) > 1, { callId: call });
    await carrier.sendDtmf(String(body?.match_number));
    const path = `/v1/voice-auth/challenges/${String(body?.challenge_id)}`;
    const state = async (): Promise<unknown> => (await stage.application.request('GET', path)).body?.state;
    await eventually(async () => (await state()) === 'approved', 'the challenge is approved');
    await carrier.closed(call);
  });
});
