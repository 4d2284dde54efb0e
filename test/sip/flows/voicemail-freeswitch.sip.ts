import { expect } from 'chai';
import { loudSeconds, toneSeconds } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { since } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { VoicemailLine } from '../../support/calls/voicemail-line.js';

const CALLER_HZ = 1400;

describeFreeswitch('voicemail with FreeSWITCH only', () => {
  let stage: FreeswitchStage;
  let caller: Baresip;
  let line: VoicemailLine;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    caller = await stage.application.softphone(1, CALLER_HZ);
    line = await VoicemailLine.open(stage.application, caller, { pin: '4711' });
  });
  after(() => stage.close());

  it('records a message, plays it to the caller, and plays it to the agent through *98', async () => {
    const id = await line.speaking(2.5);
    await caller.sendDtmf('#');
    const menu = since(caller, id);
    await caller.waitToHear(() => loudSeconds(menu()) > 0.3, { callId: id });
    const heard = since(caller, id);
    await caller.sendDtmf('2');
    await caller.waitToHear(() => toneSeconds(heard(), CALLER_HZ) > 1.5, { callId: id });
    await caller.sendDtmf('1');
    await caller.closed(id);
    const message = await line.newestOf(1);
    const audio = await line.audioOf(message);
    expect(audio.seconds).to.be.within(2, 4);
    expect(toneSeconds(audio, CALLER_HZ)).to.be.above(audio.seconds - 0.5);

    const agent = await stage.application.softphone(0);
    const listening = await agent.dial('*98');
    await agent.waitToHear((prompt) => loudSeconds(prompt) > 0.3, { callId: listening });
    await agent.sendDtmf('4711#');
    await agent.waitToHear((played) => toneSeconds(played, CALLER_HZ) > 1.5, { callId: listening, timeoutMs: 30_000 });
    await agent.sendDtmf('#');
    await agent.closed(listening);
    await eventually(async () => (await line.messages())[0]?.listened_at !== null, 'the message was heard');
  });
});
