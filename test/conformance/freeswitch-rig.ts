import { FreeswitchHost } from '../support/freeswitch.js';
import { freeswitchEngine } from './freeswitch-engine.js';
import type { Rig } from './rig.js';
import { sipRig } from './sip-rig.js';

/** A real FreeSWITCH with real SIP phones round it. */
export async function freeswitchRig(): Promise<Rig> {
  const host = await FreeswitchHost.start({ from: 33_000, to: 33_498 });
  const { engine, heard } = freeswitchEngine(host);
  engine.start(heard.listener);
  await heard.untilType('engine.connected');
  const { folder, sipAddress, sipPort } = host;
  return sipRig({ engine, heard, folder, sipAddress, sipPort, stop: () => host.stop() });
}
