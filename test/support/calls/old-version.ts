import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeSipPort } from '../phones/index.js';
import { embeddedSettings } from '../platform/platform-process.js';
import type { TrunkTalkers } from './trunk-talkers.js';
import type { WebhookReceiver } from '../peers/receiver.js';
import { ProcessStage } from '../stages/process-stage.js';

/** Two processes of the same version on one data folder stand for the old and the new version. */
export interface UpgradeStage {
  readonly stage: ProcessStage;
  readonly talkers: TrunkTalkers;
  readonly receiver: WebhookReceiver;
}

/** Starts the old version for the tests of the suite that calls this, and hands it to `use`. */
export function withOldVersion(use: (made: UpgradeStage) => void): void {
  let made: UpgradeStage;

  before(async () => {
    const carrierPort = await freeSipPort();
    const stage = await ProcessStage.start({
      ...(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-upgrade-')))),
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      DRAIN_SECONDS: '60',
    });
    made = { stage, talkers: await stage.talkers(carrierPort), receiver: await stage.receiver() };
    use(made);
  });
  after(async () => {
    await made.receiver.close();
    await made.stage.close();
  });
}
