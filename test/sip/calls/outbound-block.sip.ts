import { outboundBlock, type OutboundBlockStage } from '../../support/calls/outbound-block.js';
import { TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('the guard against toll fraud, on Asterisk', () => {
  let stage: OutboundBlockStage;

  withPlatform(async (platform) => {
    const { carrier, agent } = await TrunkTalkers.at(platform);
    stage = { carrier, agent, request: (method, path, json) => platform.request(method, path, json ? { json } : {}) };
  });

  outboundBlock('403', () => stage);
});
