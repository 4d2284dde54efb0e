import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { repeatedKeys, type KeysStage } from './repeated-keys.js';

describe('keys that are pressed twice in a row', function () {
  this.timeout(300_000);

  repeatedKeys(async (): Promise<KeysStage> => {
    const made = await TestPlatform.start();
    return {
      ...{ url: made.url, db: made.platform.stores.db, sipPort: made.parts.sip.port, carrierPort: made.carrierPort },
      request: (method, path, json) => made.request(method, path, { ...(json && { json }) }),
      softphone: () => made.softphone('1001'),
      over: (callId) => made.over(callId),
      close: () => made.stop(),
    };
  }, ['browser', 'softphone']);
});

describeFreeswitch('keys that are pressed twice in a row, on FreeSWITCH', function () {
  this.timeout(300_000);

  repeatedKeys(async (): Promise<KeysStage> => {
    const made = await FreeswitchStage.start();
    const { application, carrierPort, database } = made;
    const { base_url: url, sip } = application.bootstrap;
    return {
      ...{ url, db: database.db, sipPort: sip.port, carrierPort },
      request: (method, path, json) => application.request(method, path, json),
      softphone: () => application.softphone(),
      over: (callId) => application.becomes(callId, 'ended'),
      close: () => made.close(),
    };
    // FreeSWITCH answers a calling browser without RFC 4733, so that it has no keys there.
  }, ['softphone']);
});
