import { expect } from 'chai';
import { forwarding, type ForwardingStage } from '../../support/calls/forwarding.js';
import { forwardingOnAsterisk } from '../../support/calls/forwarding-stages.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('calls for a softphone, on Asterisk,', () => {
  let platform: TestPlatform;
  let stage: ForwardingStage;

  withPlatform(async (made) => {
    platform = made;
    stage = await forwardingOnAsterisk(platform);
  });

  forwarding(() => stage);

  it('are forwarded after webhooks reported it', async () => {
    const json = { busy: { type: 'number', target: '0559876543' } };
    expect((await stage.request('PATCH', '/v1/agents/1001/forwarding', json)).status).to.equal(200);
    const { data } = await platform.receiver.waitFor(
      ({ type, data: { busy } }) =>
        type === 'agent.forwarding_changed' && (busy as { type: string } | null)?.type === 'number',
      'the event of the change',
    );
    expect(data).to.deep.include({ agent: '1001', busy: { type: 'number', target: '+96655••••43' } });
  });
});
