import { TrunkTalkers } from '../../calls/trunk-talkers.js';
import type { ProcessSettings } from '../../platform/platform-process.js';
import { TestPlatform } from '../../platform/platform.js';
import { behindEdge } from '../edge/behind-edge.js';
import { EdgeStage } from '../edge-stage.js';
import { FreeswitchStage } from '../freeswitch-stage.js';
import type { WebStage } from './web-stage.js';

/** A stage, and how it ends. */
export interface OpenWebStage {
  readonly stage: WebStage;
  readonly close: () => Promise<void>;
}

/** @param platform receives the platform, for checks after each test */
export async function onAsterisk(platform: (made: TestPlatform) => void = () => undefined): Promise<OpenWebStage> {
  const made = await TestPlatform.start();
  platform(made);
  return { stage: onPlatform(made, await TrunkTalkers.at(made)), close: () => made.stop() };
}

/** @param settings of the process, in addition */
export async function onFreeswitch(settings: ProcessSettings = {}): Promise<OpenWebStage> {
  const made = await FreeswitchStage.start(settings);
  const { application, carrierPort, database } = made;
  const stage: WebStage = {
    url: application.bootstrap.base_url,
    lineNumber: application.bootstrap.line_number,
    talkers: await application.talkers(carrierPort),
    db: database.db,
    browserCodec: 'audio/opus',
    phoneHoldsWithMusic: false,
    request: (method, path, json) => application.request(method, path, json),
    over: (callId) => application.becomes(callId, 'ended'),
  };
  return { stage, close: () => made.close() };
}

export async function freeswitchBehindTheEdge(): Promise<OpenWebStage> {
  const { stage, close } = await behindEdge(onFreeswitch);
  // FreeSWITCH chooses the codec before it knows that a browser calls.
  return { stage: { ...stage, browserCodec: 'audio/PCMA' }, close };
}

/** @param rtp the ports of the engine's audio */
export async function behindTheEdge(rtp: { readonly from: number; readonly to: number }): Promise<OpenWebStage> {
  const made = await EdgeStage.start(rtp);
  const talkers = await TrunkTalkers.at(made.platform, await made.softphone('1001'));
  return { stage: onPlatform(made.platform, talkers), close: () => made.stop() };
}

function onPlatform(made: TestPlatform, talkers: TrunkTalkers): WebStage {
  return {
    url: made.url,
    lineNumber: made.demo.lineNumber,
    talkers,
    db: made.platform.stores.db,
    browserCodec: 'audio/opus',
    phoneHoldsWithMusic: true,
    request: (method, path, json) => made.request(method, path, { ...(json && { json }) }),
    over: (callId) => made.over(callId),
  };
}
