import { forwardingCases, type ForwardingStage } from '../../support/calls/forwarding.js';
import { forwardingOnAsterisk } from '../../support/calls/forwarding-stages.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('each case of call forwarding, on Asterisk: calls', () => {
  let stage: ForwardingStage;

  withPlatform(async (platform) => {
    stage = await forwardingOnAsterisk(platform);
  });

  forwardingCases(() => stage);
});
