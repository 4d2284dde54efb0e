import type { TestPlatform } from '../../support/platform/platform.js';
import { onAsterisk } from '../../support/stages/web-calling/engines.js';
import { agentCalls } from './agent-calls.js';

describe('an agent in a browser', function () {
  this.timeout(240_000);
  let platform: TestPlatform | undefined;
  agentCalls(() => onAsterisk((made) => (platform = made)));
  afterEach(() => platform?.assertSound());
});
