import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { browserCalls } from './browser-calls.js';

describeFreeswitch('web calling with a browser on FreeSWITCH', function () {
  this.timeout(240_000);
  let stage: FreeswitchStage;

  browserCalls(
    async () => {
      stage = await FreeswitchStage.start();
      const { application, carrierPort, database } = stage;
      return {
        url: application.bootstrap.base_url,
        lineNumber: application.bootstrap.line_number,
        talkers: await application.talkers(carrierPort),
        db: database.db,
        request: (method, path, json) => application.request(method, path, json),
        over: (callId) => application.becomes(callId, 'ended'),
      };
    },
    () => stage.close(),
  );
});
