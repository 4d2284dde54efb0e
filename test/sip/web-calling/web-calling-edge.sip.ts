import { TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';
import { browserCalls } from './browser-calls.js';

describeDrachtio('web calling with a browser behind the SIP edge', function () {
  this.timeout(240_000);
  let stage: EdgeStage;

  browserCalls(
    async () => {
      stage = await EdgeStage.start({ from: 18_000, to: 18_199 });
      const { platform } = stage;
      return {
        url: platform.url,
        lineNumber: platform.demo.lineNumber,
        talkers: await TrunkTalkers.at(platform, await stage.softphone('1001')),
        db: platform.platform.stores.db,
        request: (method, path, json) => platform.request(method, path, { ...(json && { json }) }),
        over: (callId) => platform.over(callId),
      };
    },
    () => stage.stop(),
  );
});
