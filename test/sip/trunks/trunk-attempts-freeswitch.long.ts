import { trunkAttemptCases, trunkAttempts } from '../../support/calls/trunk-attempts.js';
import { describeTrunkAttemptsOnFreeswitch } from '../../support/calls/trunk-attempts-stages.js';

describeTrunkAttemptsOnFreeswitch('calls through several trunks, on FreeSWITCH,', (stage) => {
  trunkAttempts(stage);
  trunkAttemptCases(stage);
});
