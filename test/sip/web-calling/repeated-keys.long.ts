import { describeDrachtio } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { TestPlatform } from '../../support/platform/platform.js';
import type { ProcessSettings } from '../../support/platform/platform-process.js';
import { behindEdge } from '../../support/stages/edge/behind-edge.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { repeatedKeys, type KeysStage } from './repeated-keys.js';

async function onFreeswitch(settings: ProcessSettings = {}): Promise<KeysStage> {
  const made = await FreeswitchStage.start(settings);
  const { application, carrierPort, database } = made;
  const { base_url: url, sip } = application.bootstrap;
  return {
    ...{ url, db: database.db, sipPort: sip.port, carrierPort },
    request: (method, path, json) => application.request(method, path, json),
    softphone: () => application.softphone(),
    over: (callId) => application.becomes(callId, 'ended'),
    close: () => made.close(),
  };
}

describe('keys that are pressed twice in a row', function () {
  this.timeout(300_000);

  repeatedKeys(async () => {
    const made = await TestPlatform.start();
    return {
      ...{ url: made.url, db: made.platform.stores.db, sipPort: made.parts.sip.port, carrierPort: made.carrierPort },
      request: (method, path, json) => made.request(method, path, { ...(json && { json }) }),
      softphone: () => made.softphone('1001'),
      over: (callId) => made.over(callId),
      close: () => made.stop(),
    };
  });
});

describeFreeswitch('keys that are pressed twice in a row, on FreeSWITCH', function () {
  this.timeout(300_000);
  repeatedKeys(() => onFreeswitch());
});

describeDrachtio('keys that are pressed twice in a row, at the SIP edge', () => {
  describeFreeswitch('before FreeSWITCH', function () {
    this.timeout(300_000);

    repeatedKeys(() => behindEdge(onFreeswitch));
  });
});
