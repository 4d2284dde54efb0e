import { FreeswitchHost } from '../support/freeswitch.js';
import { freeswitchEngine } from './freeswitch-engine.js';
import type { Rig } from './rig.js';
import { sipRig, type RealEngine } from './sip-rig.js';

/** A real FreeSWITCH with real SIP phones round it. */
export async function freeswitchRig(): Promise<Rig> {
  return sipRig(await connectedFreeswitch(await FreeswitchHost.start()));
}

export async function connectedFreeswitch(host: FreeswitchHost): Promise<RealEngine> {
  const { engine, heard } = freeswitchEngine(host);
  engine.start(heard.listener);
  await heard.untilType('engine.connected');
  const { folder, sipAddress, sipPort } = host;
  const stop = async (): Promise<void> => {
    await engine.stop();
    await host.stop();
  };
  return { engine, heard, folder, sipAddress, sipPort, stop };
}
