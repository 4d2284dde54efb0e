import { join } from 'node:path';
import { FreeswitchEngine, type FreeswitchEngineOptions } from '../../../engine/freeswitch/freeswitch-engine.js';
import type { FreeswitchHost } from '../../support/platform/freeswitch.js';
import { quiet } from '../../support/logger.js';
import { Heard } from './heard.js';
import type { EngineGround } from './rig.js';

/**
 * Returns an engine that also answers this FreeSWITCH's requests, and its recorded events; `over` replaces single
 * options.
 */
export function freeswitchEngine(
  host: FreeswitchHost,
  over: Partial<FreeswitchEngineOptions> = {},
): { engine: FreeswitchEngine; heard: Heard } {
  const engine = new FreeswitchEngine({
    host: '127.0.0.1',
    port: host.eslPort,
    password: host.password,
    recordingDir: join(host.folder, 'recorded'),
    logger: quiet,
    maxBackoffMs: 500,
    ...over,
  });
  host.answer((request) => engine.xml(request));
  return { engine, heard: new Heard() };
}

export function freeswitchGround(host: FreeswitchHost): EngineGround {
  return {
    folder: host.folder,
    port: host.eslPort,
    sipAddress: host.sipAddress,
    sipPort: host.sipPort,
    open: (over) => freeswitchEngine(host, over),
    left: async () => {
      const { rows = [] } = JSON.parse(await host.api('show channels as json')) as { rows?: readonly unknown[] };
      return rows;
    },
    restart: () => host.restart(),
    stop: () => host.stop(),
  };
}
