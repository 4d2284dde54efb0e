import { AsteriskHost } from './asterisk-host.js';
import type { Rig } from './rig.js';
import { sipRig } from './sip-rig.js';

/** A real Asterisk with real SIP phones round it. */
export async function asteriskRig(): Promise<Rig> {
  const host = await AsteriskHost.start({ from: 31_000, to: 31_498 });
  const { engine, heard } = host.engine();
  engine.start(heard.listener);
  await heard.untilType('engine.connected');
  const { folder, sipAddress, sipPort } = host;
  return sipRig({ engine, heard, folder, sipAddress, sipPort, stop: () => host.stop() });
}
