import { trunkAttemptCases, type TrunkAttemptsStage } from '../../support/calls/trunk-attempts.js';
import { trunkAttemptsOnAsterisk } from '../../support/calls/trunk-attempts-stages.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('each case of calls through several trunks, on Asterisk: calls', () => {
  let stage: TrunkAttemptsStage;

  withPlatform((platform) => {
    stage = trunkAttemptsOnAsterisk(platform);
  });

  trunkAttemptCases(() => stage);
});
