import { expectRefusal } from '../../support/stages/backup-faults.js';
import { withBackup, type BackupStage } from '../../support/stages/backup-stage.js';

/** One fault of each kind: of the file, of its content, of the data's secret. The long suite tries all. */
const FAULTS = ['a file that is not an archive', 'a backup with changed rows', 'a backup with another secret'];

describe('backup and restore', function () {
  this.timeout(60_000);
  let stage: BackupStage;
  withBackup((made) => (stage = made));

  describe('reject, and change nothing:', () => {
    for (const fault of FAULTS) it(fault, () => expectRefusal(stage, fault));
  });
});
