import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { killedCalls } from './killed-calls.js';

describeFreeswitch('calls in browsers on FreeSWITCH whose application is killed', function () {
  this.timeout(240_000);

  killedCalls(async () => {
    const stage = await FreeswitchStage.start();
    return { application: stage.application, db: stage.database.db, close: () => stage.close() };
  });
});
