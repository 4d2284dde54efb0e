import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { freeSipPort, type Baresip } from '../../support/phones/index.js';
import { hatif, PlatformProcess } from '../../support/platform/platform-process.js';
import type { ProcessStage } from '../../support/stages/process-stage.js';
import { withOldVersion } from '../../support/calls/old-version.js';
import type { WebhookReceiver } from '../../support/peers/receiver.js';
import type { TrunkTalkers } from '../../support/calls/trunk-talkers.js';

describe('an upgrade with live calls', () => {
  let stage: ProcessStage;
  let talkers: TrunkTalkers;
  let carrier: Baresip;
  let agent: Baresip;
  let receiver: WebhookReceiver;
  withOldVersion((made) => {
    ({ stage, talkers, receiver } = made);
    ({ carrier, agent } = talkers);
  });

  it('in its place: `hatif handover` ends the old version only, and the next start takes over', async () => {
    const old = stage.platform;
    const conversing = await talkers.conversation();
    expect(await hatif(stage.settings, 'handover')).to.contain('live calls continue');
    expect(await old.exited, old.output).to.equal(0);
    expect(old.output).to.contain('the parts keep running');
    await talkers.keepTalking(conversing);
    // A caller hears ringing until the new version is ready, for at most 15 seconds. Loading its code can take that long.
    const { line_number: line, sip } = stage.bootstrap;
    const starting = stage.start();
    await eventually(
      () => existsSync(join(stage.dataDir, 'running.json')),
      'the code of the new version is loaded',
      60_000,
    );
    const caller = await carrier.dial(`sip:${line}@${sip.host}:${sip.port}`);
    await starting;
    await carrier.waitFor('CALL_ESTABLISHED', { callId: caller });
    await carrier.hangup(caller);
    await carrier.closed(caller);
    await stage.becomes(conversing.callId, 'answered');
    await stage.hangup(conversing.callId);
    await talkers.closed(conversing);
    expect(agent.missingSeconds(conversing.atAgent)).to.be.lessThan(1);
    await receiver.waitFor(({ type, data }) => type === 'call.ended' && data.call_id === conversing.callId);
    receiver.assertLegalPath(conversing.callId);
  });

  it('is refused without being asked for, and changes nothing', async () => {
    const published = stage.published();
    const asterisk = (): string => readFileSync(join(stage.dataDir, 'asterisk', 'state.json'), 'utf8');
    const before = asterisk();
    const second = PlatformProcess.start({ ...stage.settings, SIP_PORT: String(await freeSipPort()) });
    expect(await second.exited).to.equal(3);
    expect(second.output)
      .to.contain(`process ${published.pid}, ${published.address}`)
      .and.contain('HATIF_REPLACE=true');
    expect(stage.published()).to.deep.equal(published);
    expect(asterisk(), 'Asterisk was not restarted').to.equal(before);
  });
});
