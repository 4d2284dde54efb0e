import type { TestPlatform } from '../../support/platform/platform.js';
import { onAsterisk } from '../../support/stages/web-calling/engines.js';
import { browserCalls } from './browser-calls.js';

describe('web calling with a browser', function () {
  this.timeout(240_000);
  let platform: TestPlatform | undefined;
  browserCalls(() => onAsterisk((made) => (platform = made)));
  afterEach(() => platform?.assertSound());
});
