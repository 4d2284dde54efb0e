import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { toneSeconds } from '../../support/judges/audio.js';
import type { Baresip } from '../../support/phones/index.js';
import { embeddedSettings } from '../../support/platform/platform-process.js';
import { ProcessStage } from '../../support/stages/process-stage.js';
import { VoicemailLine } from '../../support/calls/voicemail-line.js';

const CALLER_HZ = 1400;

describe('a voicemail message during which the application is killed', () => {
  let stage: ProcessStage;
  let caller: Baresip;
  let line: VoicemailLine;

  before(async () => {
    stage = await ProcessStage.start(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-voicemail-'))));
    caller = await stage.softphone(1, CALLER_HZ);
    line = await VoicemailLine.open(stage, caller);
  });
  after(() => stage.close());

  it('continues, and is stored complete if the caller hangs up before the restart', async () => {
    const id = await line.speaking();
    await stage.kill();
    await pause(1_500);
    await caller.hangup(id);
    await stage.start();
    const message = await line.newestOf(1);
    expect(toneSeconds(await line.audioOf(message), CALLER_HZ)).to.be.within(2.5, 15);
    expect(await stage.becomes(message.call_id, 'ended')).to.include({ disposition: 'answered' });
  });

  it('can be ended by the caller after a restart, and is reported once', async () => {
    const id = await line.speaking();
    await stage.kill();
    await stage.start();
    const [call] = (await stage.request('GET', '/v1/calls?limit=1')).body?.data as [{ readonly call_id: string }];
    await stage.adopted(call.call_id);
    await caller.sendDtmf('#');
    const before = caller.heard(id).seconds;
    await caller.waitToHear((audio) => audio.seconds > before + 0.5, { callId: id });
    // The caller hears the menu when the application is killed again: the message still waits for the caller's choice.
    await stage.kill();
    await stage.start();
    await caller.hangup(id);
    const message = await line.newestOf(2);
    expect(message.call_id).to.equal(call.call_id);
    expect(toneSeconds(await line.audioOf(message), CALLER_HZ)).to.be.above(1);
    const events = (await stage.request('GET', `/v1/events?call_id=${call.call_id}`)).body?.data as { type: string }[];
    expect(events.filter(({ type }) => type === 'voicemail.received')).to.have.length(1);
  });
});
