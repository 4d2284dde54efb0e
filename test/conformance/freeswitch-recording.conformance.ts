import { FreeswitchHost, findFreeswitch } from '../support/freeswitch.js';
import { freeswitchEngine } from './freeswitch-engine.js';
import { recordingConformance } from './recording-suite.js';

const found = findFreeswitch();

describe('FreeSWITCH recording legs', () => {
  if ('missing' in found) {
    it.skip(`is not here: ${found.missing}`);
    return;
  }
  recordingConformance(async () => {
    const host = await FreeswitchHost.start();
    return {
      folder: host.folder,
      open: () => freeswitchEngine(host),
      left: async () => {
        const { rows = [] } = JSON.parse(await host.api('show channels as json')) as { rows?: readonly unknown[] };
        return rows;
      },
      stop: () => host.stop(),
    };
  });
});
