import { describeDrachtio, DrachtioHost } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { browserCalls } from './browser-calls.js';

describeDrachtio('web calling with a browser at the SIP edge', () => {
  describeFreeswitch('before FreeSWITCH', function () {
    this.timeout(240_000);
    let edge: DrachtioHost;
    let stage: FreeswitchStage;

    browserCalls(
      async () => {
        edge = await DrachtioHost.start();
        stage = await FreeswitchStage.start(edge.settings);
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
      async () => {
        await stage.close();
        await edge.stop();
      },
    );
  });
});
