import { AsteriskHost } from './asterisk-host.js';
import type { Rig } from './rig.js';
import { realEngine, sipRig, type RealEngine } from './sip-rig.js';

/** A real Asterisk with real SIP phones. */
export async function asteriskRig(): Promise<Rig> {
  return sipRig(await connectedAsterisk(await AsteriskHost.start({ from: 31_000, to: 31_498 })));
}

export function connectedAsterisk(host: AsteriskHost): Promise<RealEngine> {
  return realEngine(host, host.engine());
}
