import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { killedCalls } from './killed-calls.js';

/** Half of the session's time of a call over WebSocket, which FreeSWITCH does not take from its configuration, and some. */
const REFRESH_SECONDS = 60;

describeFreeswitch('calls in browsers on FreeSWITCH whose application is killed', function () {
  this.timeout(240_000);

  killedCalls(async () => {
    const stage = await FreeswitchStage.start();
    return {
      ...{ application: stage.application, db: stage.database.db, refreshSeconds: REFRESH_SECONDS },
      close: () => stage.close(),
    };
  });
});
