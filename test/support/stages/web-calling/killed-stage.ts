import type { Database } from '../../../../core/data/database.js';
import type { ProcessSettings } from '../../platform/platform-process.js';
import { FreeswitchStage } from '../freeswitch-stage.js';
import type { ProcessStage } from '../process-stage.js';

/** A platform whose process is killed in the middle of calls of browsers, which come back to the same port. */
export interface KilledStage {
  readonly application: ProcessStage;
  readonly db: Database;
  /** After this time the engine asks the browser whether its call is alive; absent: after that of any test. */
  readonly refreshSeconds?: number;
  readonly close: () => Promise<void>;
}

/** Half of the session's time of a call over WebSocket, which FreeSWITCH does not take from its configuration, and some. */
const REFRESH_SECONDS = 60;

/** @param settings of the process, in addition */
export async function killedOnFreeswitch(settings: ProcessSettings = {}): Promise<KilledStage> {
  const stage = await FreeswitchStage.start(settings);
  return {
    ...{ application: stage.application, db: stage.database.db, refreshSeconds: REFRESH_SECONDS },
    close: () => stage.close(),
  };
}
