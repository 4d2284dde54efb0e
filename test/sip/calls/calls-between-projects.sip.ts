import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callsBetweenProjects } from '../../support/calls/between-projects.js';
import { sharedAsterisk } from '../../support/platform/asterisk.js';
import { testDatabase } from '../../support/platform/database.js';
import { testRedis } from '../../support/platform/redis.js';
import { ProcessStage } from '../../support/stages/process-stage.js';

describe('a call to a number of another project, on Asterisk', () => {
  callsBetweenProjects(async () => {
    const [asterisk, database, redis] = await Promise.all([sharedAsterisk(), testDatabase(), testRedis()]);
    const application = await ProcessStage.start({
      HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-between-')),
      PORT: '0',
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      ASTERISK_ARI_URL: asterisk.ari.url,
      ASTERISK_ARI_USER: asterisk.ari.user,
      ASTERISK_ARI_PASSWORD: asterisk.ari.password,
      ASTERISK_CEL_FILE: asterisk.celFile,
      SIP_PORT: String(asterisk.sip.port),
    });
    const close = async (): Promise<void> => {
      await application.close();
      await Promise.all([database.close(), redis.close()]);
    };
    return { application, db: database.db, close };
  });
});
