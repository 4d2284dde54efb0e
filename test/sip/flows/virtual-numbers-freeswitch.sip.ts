import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { hasSpeech } from '../../support/judges/audio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';

const CALLER_HZ = 1400;
/** Rings the first softphone of the demo. */
const AGENT_NUMBER = '+966115550101';

describeFreeswitch('virtual numbers on FreeSWITCH', () => {
  let stage: FreeswitchStage;
  let agent: Baresip;
  let caller: Baresip;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    agent = await stage.application.softphone();
    caller = await stage.application.softphone(1, CALLER_HZ);
  });
  after(() => stage.close());

  it('of an imported range speak their text and then forward the call', async () => {
    const file = join(String(stage.settings.HATIF_DATA_DIR), 'range.csv');
    await writeFile(file, 'number\n+966115557000-+966115557009\n');
    expect(await stage.command(['numbers', 'import', file])).to.contain('10 numbers added');
    const answer = await stage.application.request('POST', '/v1/virtual-numbers', {
      external_user_id: 'u-1',
      instructions: { text: 'You are being connected.', language: 'en', forward_to: AGENT_NUMBER },
    });
    expect(answer.status, answer.text).to.equal(201);
    const { e164 } = answer.body?.data as { e164: string };
    const id = await caller.dial(e164);
    const ringing = await agent.incoming();
    expect(hasSpeech(caller.heard(id)), 'the text is spoken first').to.equal(true);
    await agent.answer(ringing);
    await talk({ phone: caller, hz: CALLER_HZ, callId: id }, { phone: agent, hz: AGENT_HZ, callId: ringing });
    await caller.hangup(id);
    await agent.closed(ringing);
    const { body } = await stage.application.request('GET', '/v1/calls?limit=1');
    const [call] = body?.data as [{ readonly call_id: string }];
    expect(await stage.application.becomes(call.call_id, 'ended')).to.include({ line_number: e164 });
  });
});
