import { AsteriskHost } from './asterisk-host.js';
import type { Rig } from './rig.js';
import { sipRig, type RealEngine } from './sip-rig.js';

/** A real Asterisk with real SIP phones round it. */
export async function asteriskRig(): Promise<Rig> {
  return sipRig(await connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_498 })));
}

export async function connectedAsterisk(host: AsteriskHost): Promise<RealEngine> {
  const { engine, heard } = host.engine();
  engine.start(heard.listener);
  await heard.untilType('engine.connected');
  const { folder, sipAddress, sipPort } = host;
  const stop = async (): Promise<void> => {
    await engine.stop();
    await host.stop();
  };
  return { engine, heard, folder, sipAddress, sipPort, stop };
}
