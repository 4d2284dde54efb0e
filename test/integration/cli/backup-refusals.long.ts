import { BACKUP_FAULTS, expectRefusal } from '../../support/stages/backup-faults.js';
import { withBackup, type BackupStage } from '../../support/stages/backup-stage.js';

describe('backup and restore, with every fault of an archive', function () {
  this.timeout(60_000);
  let stage: BackupStage;
  withBackup((made) => (stage = made));

  describe('reject, and change nothing:', () => {
    for (const fault of BACKUP_FAULTS) it(fault, () => expectRefusal(stage, fault));
  });
});
