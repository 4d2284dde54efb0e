import { FreeswitchHost } from '../../support/platform/freeswitch.js';
import { freeswitchEngine } from './freeswitch-engine.js';
import type { Rig } from './rig.js';
import { realEngine, sipRig, type RealEngine } from './sip-rig.js';

/** A real FreeSWITCH with real SIP phones. */
export async function freeswitchRig(): Promise<Rig> {
  return sipRig(await connectedFreeswitch(await FreeswitchHost.start()));
}

export function connectedFreeswitch(host: FreeswitchHost): Promise<RealEngine> {
  return realEngine(host, freeswitchEngine(host));
}
