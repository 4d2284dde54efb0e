import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { sharedAsterisk } from '../../support/platform/asterisk.js';
import { testDatabase } from '../../support/platform/database.js';
import { testRedis } from '../../support/platform/redis.js';
import { ProcessStage } from '../../support/stages/process-stage.js';
import { killedCalls, type KilledStage } from './killed-calls.js';

describe('calls in browsers whose application is killed', function () {
  this.timeout(240_000);

  killedCalls(async (): Promise<KilledStage> => {
    const [asterisk, database, redis, port] = await Promise.all([
      sharedAsterisk(),
      testDatabase(),
      testRedis(),
      chooseLoopbackPort(),
    ]);
    const application = await ProcessStage.start({
      HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-killed-')),
      PORT: String(port),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      ASTERISK_ARI_URL: asterisk.ari.url,
      ASTERISK_ARI_USER: asterisk.ari.user,
      ASTERISK_ARI_PASSWORD: asterisk.ari.password,
      ASTERISK_CEL_FILE: asterisk.celFile,
      SIP_PORT: String(asterisk.sip.port),
      HATIF_FLAGS_OFF: 'call_velocity',
    });
    const close = async (): Promise<void> => {
      await application.close();
      await Promise.all([database.close(), redis.close()]);
    };
    return { application, db: database.db, close };
  });
});
