import { DrachtioHost } from '../../platform/drachtio.js';
import type { ProcessSettings } from '../../platform/platform-process.js';

/** A stage that `open` starts with the settings of a SIP edge, which ends after it. */
export async function behindEdge<Stage extends { readonly close: () => Promise<void> }>(
  open: (settings: ProcessSettings) => Promise<Stage>,
): Promise<Stage> {
  const edge = await DrachtioHost.start();
  const stage = await open(edge.settings);
  return {
    ...stage,
    close: async () => {
      await stage.close();
      await edge.stop();
    },
  };
}
