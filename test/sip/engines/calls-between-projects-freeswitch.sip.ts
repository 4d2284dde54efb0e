import { callsBetweenProjects } from '../../support/calls/between-projects.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';

describeFreeswitch('a call to a number of another project, on FreeSWITCH', () => {
  callsBetweenProjects(async () => {
    const stage = await FreeswitchStage.start();
    return { application: stage.application, db: stage.database.db, close: () => stage.close() };
  });
});
