import { join } from 'node:path';
import { expect } from 'chai';
import { loudSeconds, readChannels, slice, toneSeconds } from '../../support/judges/audio.js';
import { hears } from '../../support/judges/hearing.js';
import { eventually } from '../../support/eventually.js';
import { Baresip } from '../../support/phones/index.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';
import type { ProcessStage } from '../../support/stages/process-stage.js';
import { Tour } from '../../support/calls/tour.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';

describe('the tour in the README, on other ports', () => {
  let tour: Tour;
  let stage: ProcessStage;
  let phone: Baresip | undefined;

  before(async () => {
    tour = await Tour.start();
    ({ stage } = tour);
  });
  after(async () => {
    await phone?.close();
    await tour.close();
  });

  it('is not on the default ports', () => {
    const { base_url, sip, agents } = { ...stage.bootstrap, agents: stage.bootstrap.sip.agents };
    expect(new URL(base_url).port).not.to.equal('8080');
    expect(sip.port).not.to.equal(5060);
    expect(agents[0]!.number, 'the number that the README calls').to.equal('+966115550101');
  });

  it('makes the first call as written', async () => {
    tour.begin('first');
    const shown = await tour.next();
    const [, user = '', host = '', port = '', password = ''] =
      /user: '(\w+)',\s+domain: '([\d.]+):(\d+)',\s+password: '([^']+)'/.exec(shown) ?? [];
    await tour.run(`baresip() { printf '%s\\n' "$@"; }`);
    expect(await tour.next(), shown).to.equal(
      `-e\n/uanew <sip:${user}@${host}:${port}>;auth_pass=${password};regint=60\n`,
    );
    const registrar = { host, port: Number(port), password };
    phone = await Baresip.start({ codecs: ['PCMA'], user, registrar, source: { toneHz: AGENT_HZ } });
    await phone.registered();

    expect(await tour.next(), 'formatted').to.match(/^\{\n {2}"call_id": "[\w-]+",\n/);
    const first = await phone.incoming();
    await phone.answer(first);
    await phone.waitToHear((audio) => loudSeconds(audio) > 1, { callId: first });
    await phone.closed(first);

    const watched = await tour.elsewhere();
    const followed = tour.next();
    const second = await phone.incoming();
    await phone.answer(second);
    await phone.closed(second);
    expect(await followed).to.include('answered');
    await eventually(() => watched().includes('call.ended'), `events, not ${watched()}`);
    expect(tour.left).to.equal(0);
  });

  it('calls the softphone from a browser as written', async function () {
    const program = browserProgram();
    if (program === null) skipBecause(this, 'there is no Chromium on this machine');
    if (!phone) throw new Error('there is no phone');
    tour.begin('browser');
    const address = (await tour.next()).trim();
    const browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    try {
      const page = await browser.newPage();
      await page.goto(`${address.split('#')[0]}?language=en#${address.split('#')[1]}`);
      await page.getByText('Ready for calls').waitFor();
      await page.locator('#dial').fill('1001');
      await page.keyboard.press('Enter');
      const ringing = await phone.incoming();
      await phone.answer(ringing);
      await phone.waitToHear(hears(MICROPHONE_HZ), { callId: ringing });
      await phone.hangup(ringing);
      await phone.closed(ringing);
    } finally {
      await browser.close();
    }
    expect(tour.left).to.equal(0);
  });

  it('survives the crash as written', async () => {
    if (!phone) throw new Error('there is no phone');
    tour.begin('crash');
    await tour.next();
    const ringing = await phone.incoming();
    await phone.answer(ringing);
    await tour.until('api GET /calls/$CALL', '"answered"');

    expect(await tour.next()).to.match(/"accepted"/);
    await phone.waitToHear((audio) => loudSeconds(audio) > 1, { callId: ringing });
    expect(await tour.next()).to.match(/"accepted"/);
    const held = phone.heard(ringing).seconds;
    await phone.waitToHear((audio) => loudSeconds(slice(audio, held)) > 0.5, { callId: ringing });

    await tour.next();
    await stage.platform.exited;
    const from = phone.heard(ringing).seconds;
    await phone.waitToHear((audio) => loudSeconds(slice(audio, from)) > 1, { callId: ringing });

    await stage.start({ PORT: new URL(stage.bootstrap.base_url).port });
    await tour.until('api GET /calls/$CALL/timeline', 'call.adopted');
    expect(stage.platform.output).to.match(/taken over +1 live call\n/);
    expect(await tour.next()).to.match(/"accepted".*"accepted".*"status": "answered"/s);
    const back = phone.heard(ringing).seconds;
    await phone.waitToHear((audio) => loudSeconds(slice(audio, back)) > 0.5, { callId: ringing });

    await tour.next();
    await phone.closed(ringing);
    await tour.until('api GET /calls/$CALL', '"recording_available": true');
    expect(await tour.next()).to.match(/call\.adopted.*call\.recording_ready/s);
    const [said, heard] = readChannels(join(tour.folder, 'call.wav'));
    expect(toneSeconds(said!, AGENT_HZ), 'the whole of what the phone sent').to.be.above(said!.seconds - 1);
    expect(loudSeconds(heard!)).to.be.above(1);
    expect(tour.left).to.equal(0);
  });
});
