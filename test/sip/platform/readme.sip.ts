import { join } from 'node:path';
import { expect } from 'chai';
import { loudSeconds, readChannels, slice, toneSeconds } from '../../support/judges/audio.js';
import type { Baresip } from '../../support/phones/index.js';
import type { ProcessStage } from '../../support/stages/process-stage.js';
import { Tour } from '../../support/calls/tour.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';

describe('the first example in the README', () => {
  let tour: Tour;
  let stage: ProcessStage;
  let phone: Baresip;

  before(async () => {
    tour = await Tour.start('crash');
    ({ stage } = tour);
    expect(stage.bootstrap.sip.agents[0]!.number, 'the number that the README calls').to.equal('+966115550101');
    phone = await stage.softphone();
  });
  after(() => tour.close());

  it('works as written', async () => {
    await tour.next();
    const ringing = await phone.incoming();
    await phone.answer(ringing);
    await tour.until('api GET /calls/$CALL', '"answered"');

    expect(await tour.next()).to.match(/"accepted".*"accepted"/s);
    await phone.waitToHear((audio) => loudSeconds(audio) > 1.5, { callId: ringing });

    await tour.next();
    await stage.platform.exited;
    const from = phone.heard(ringing).seconds;
    await phone.waitToHear((audio) => loudSeconds(slice(audio, from)) > 1, { callId: ringing });

    await stage.start({ PORT: new URL(stage.bootstrap.base_url).port });
    await tour.until('api GET /calls/$CALL/timeline', 'call.adopted');
    expect(await tour.next()).to.match(/"accepted".*"accepted".*"status":"answered"/s);
    const back = phone.heard(ringing).seconds;
    await phone.waitToHear((audio) => loudSeconds(slice(audio, back)) > 0.5, { callId: ringing });

    await tour.next();
    await phone.closed(ringing);
    await tour.until('api GET /calls/$CALL', '"recording_available":true');
    expect(await tour.next()).to.match(/call\.adopted.*call\.recording_ready/s);
    const [said, heard] = readChannels(join(tour.folder, 'call.wav'));
    expect(toneSeconds(said!, AGENT_HZ), 'the whole of what the phone sent').to.be.above(said!.seconds - 1);
    expect(loudSeconds(heard!)).to.be.above(1);
    expect(tour.left).to.equal(0);
  });
});
