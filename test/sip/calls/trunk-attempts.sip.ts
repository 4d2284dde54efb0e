import { trunkAttempts, type TrunkAttemptsStage } from '../../support/calls/trunk-attempts.js';
import { withPlatform } from '../../support/platform/with-platform.js';

describe('calls through several trunks, on Asterisk', () => {
  let stage: TrunkAttemptsStage;

  withPlatform((made) => {
    const { management, engine } = made.platform;
    stage = {
      async route(prefix, trunks) {
        for (const [priority, { name, port, transport, capacity }] of trunks.entries()) {
          const uri = `sip:127.0.0.1:${port};transport=${transport}`;
          // The scripted carriers answer no OPTIONS.
          await management.trunks.add({ name, uri, capacity, isProbed: false, isDefault: false });
          const always = { organizationId: null, hours: null, weight: 1, cost: null };
          await management.trunkRoutes.add({ trunk: name, prefix, priority, ...always });
        }
        await engine?.configurationChanged();
      },
      call: async (json) => (await made.call(json)).call_id,
      read: (callId) => made.read(callId),
      hangup: (callId) => made.hangup(callId),
      attempts: (callId) => management.trunkFigures.attempts(callId),
    };
  });

  trunkAttempts(() => stage);
});
