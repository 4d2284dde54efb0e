import { AsteriskHost } from './asterisk-host.js';
import { recordingConformance } from './recording-suite.js';

describe('Asterisk recording legs', () => {
  recordingConformance(async () => {
    const host = await AsteriskHost.start({ from: 32_000, to: 32_498 });
    return {
      folder: host.folder,
      open: () => host.engine(),
      left: async () => {
        const bridges = (await host.ask('/bridges')) as readonly { id: string }[];
        const channels = (await host.ask('/channels')) as readonly unknown[];
        // One bridge is for held legs, and stays.
        return [...bridges.filter(({ id }) => id !== 'hatif-hold'), ...channels];
      },
      stop: () => host.stop(),
    };
  });
});
