import { TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { browserCalls } from './browser-calls.js';

describe('web calling with a browser', function () {
  this.timeout(240_000);
  let stage: TestPlatform;

  browserCalls(
    async () => {
      stage = await TestPlatform.start();
      return {
        url: stage.url,
        lineNumber: stage.demo.lineNumber,
        talkers: await TrunkTalkers.at(stage),
        db: stage.platform.stores.db,
        request: (method, path, json) => stage.request(method, path, { ...(json && { json }) }),
        over: (callId) => stage.over(callId),
      };
    },
    () => stage.stop(),
  );
  afterEach(() => stage.assertSound());
});
