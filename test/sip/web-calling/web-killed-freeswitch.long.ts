import { describeDrachtio, DrachtioHost } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import type { ProcessSettings } from '../../support/platform/platform-process.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { killedCalls, type KilledStage } from './killed-calls.js';

/** Half of the session's time of a call over WebSocket, which FreeSWITCH does not take from its configuration, and some. */
const REFRESH_SECONDS = 60;

async function onFreeswitch(settings: ProcessSettings = {}): Promise<KilledStage> {
  const stage = await FreeswitchStage.start(settings);
  return {
    ...{ application: stage.application, db: stage.database.db, refreshSeconds: REFRESH_SECONDS },
    close: () => stage.close(),
  };
}

describeFreeswitch('calls in browsers on FreeSWITCH whose application is killed', function () {
  this.timeout(240_000);
  killedCalls(() => onFreeswitch());
});

describeDrachtio('calls in browsers at the SIP edge whose application is killed', () => {
  describeFreeswitch('before FreeSWITCH', function () {
    this.timeout(240_000);

    killedCalls(async () => {
      const edge = await DrachtioHost.start();
      const stage = await onFreeswitch(edge.settings);
      return {
        ...stage,
        close: async () => {
          await stage.close();
          await edge.stop();
        },
      };
    });
  });
});
