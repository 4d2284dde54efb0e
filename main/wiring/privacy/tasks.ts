import { tarGz } from '../../../adapters/archive/tar-gz.js';
import type { Settings } from '../../../config/settings.js';
import { Members } from '../../../core/data/repositories/accounts/members.js';
import { Endings } from '../../../core/data/repositories/privacy/endings.js';
import { PrivacyJobs } from '../../../core/data/repositories/privacy/jobs.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { MediaStore } from '../../../core/ports/media-store.js';
import type { ObjectStores } from '../../../core/ports/object-store.js';
import { ArchiveBuilder } from '../../../core/services/archives/builder.js';
import { endingTask } from '../../../core/services/organization-end/task.js';
import { privacyTask } from '../../../core/services/privacy/task.js';
import { RecordingRemoval } from '../../../core/services/recordings/removal.js';
import type { PeriodicTask } from '../../../core/services/runtime/periodic-task.js';
import { ReleaseVirtualNumber } from '../../../core/services/virtual-numbers/release.js';
import { archivesFolder } from '../../install/places.js';
import type { Management } from '../management.js';
import type { Stores } from '../stores.js';

export interface PrivacyTasksOptions {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly storages: ObjectStores;
  readonly media: Pick<MediaStore, 'remove' | 'pathOf'>;
  readonly management: Pick<Management, 'announce' | 'numbering'>;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly log: Logger;
  /** For tests: the size at which an archive begins another file. */
  readonly partBytes?: number;
  /** For tests: called when a piece of work is recorded. */
  readonly onPiece?: () => Promise<void> | void;
}

/** The work of exports and erasures of personal data, and of ends of organizations. */
export function openPrivacyTasks(options: PrivacyTasksOptions): readonly PeriodicTask[] {
  const { settings, stores, storages, media, management, bus, cipher, clock, log, partBytes, onPiece } = options;
  const { db, inventory, numbers, ownNumberClaims: claims, porting, recordings, virtualNumbers } = stores;
  const { assigner, portingSteps } = management.numbering;
  const archives = new ArchiveBuilder({
    ...{ format: tarGz, stores: storages, folder: archivesFolder(settings) },
    ...(partBytes !== undefined && { partBytes }),
  });
  const discard = async (audioId: string | null): Promise<void> => {
    if (audioId !== null) await media.remove(audioId);
  };
  const shared = {
    db,
    archives,
    stores: storages,
    cdrYears: settings.KEEP_CDR_YEARS,
    clock,
    log,
    ...(onPiece && { onPiece }),
  };
  return [
    privacyTask({
      ...shared,
      ...{ cipher, virtualNumbers, announce: management.announce },
      jobs: new PrivacyJobs(db),
      members: new Members(db),
      release: new ReleaseVirtualNumber({ virtualNumbers, numbers, assigner, discard, clock }),
      removal: new RecordingRemoval({ recordings, stores: storages, log }),
      archiveDays: settings.PRIVACY_EXPORT_DAYS,
    }),
    endingTask({
      ...shared,
      ...{ bus, media },
      endings: new Endings(db),
      numbering: { inventory, virtualNumbers, claims, porting, portingSteps, assigner, clock },
      invoiceYears: settings.KEEP_INVOICES_YEARS,
      archiveDays: settings.ORGANIZATION_ARCHIVE_DAYS,
    }),
  ];
}
