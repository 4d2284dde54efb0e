import { trunkAttempts, type TrunkAttemptsStage } from '../../support/calls/trunk-attempts.js';
import { trunkAttemptsOnAsterisk } from '../../support/calls/trunk-attempts-stages.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('calls through several trunks, on Asterisk,', () => {
  let stage: TrunkAttemptsStage;

  withPlatform((platform) => {
    stage = trunkAttemptsOnAsterisk(platform);
  });

  trunkAttempts(() => stage);
});
