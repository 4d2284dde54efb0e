import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { ownPlatform } from '../../support/stages/process-stage.js';
import { killedCalls } from './killed-calls.js';

describe('calls in browsers whose application is killed', function () {
  this.timeout(240_000);

  // Browsers come back to the same port.
  killedCalls(async () => ownPlatform({ PORT: String(await chooseLoopbackPort()), HATIF_FLAGS_OFF: 'call_velocity' }));
});
