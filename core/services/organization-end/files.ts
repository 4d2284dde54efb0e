import type { Database } from '../../data/database.js';
import { privacyArchives, storedFiles, uploadedAudio } from '../../data/repositories/privacy/organization-files.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import { withCounts } from '../../model/privacy/report.js';
import { MediaError, type MediaStore } from '../../ports/media-store.js';
import type { ObjectStores } from '../../ports/object-store.js';
import { Later, type Step } from '../resumable-work/work.js';

export interface DeleteFilesOptions {
  readonly db: Database;
  readonly stores: ObjectStores;
  readonly media: Pick<MediaStore, 'remove'>;
}

interface FilesCursor {
  readonly kind: (typeof KINDS)[number];
  readonly after: string | null;
}

/** In their order. */
const KINDS = ['recordings', 'documents', 'message_files'] as const;
const PAGE = 100;
const MEDIA_SECONDS = 60;
const BEGINNING: FilesCursor = { kind: 'recordings', after: null };

/** Deletes the files of the organization, but what is kept under legal hold. To delete one again does nothing. */
export function deleteFiles(options: DeleteFilesOptions, next: string): Step<OrganizationEndingRow> {
  const { db, stores } = options;
  return async (work) => {
    const { organization_id: organization, cursor, report } = work.row;
    const { kind, after } = (cursor as FilesCursor | null) ?? BEGINNING;
    const files = await storedFiles(db, kind, organization, after, PAGE);
    const erasable = files.filter(({ is_held }) => !is_held);
    for (const { storage, storage_key } of erasable) {
      await work.keepClaim();
      await stores.of(storage).remove(storage_key);
    }
    const kept = [{ reason: 'legal_hold', count: files.length - erasable.length, until: null } as const];
    const counted = withCounts(report, kind, { erased: erasable.length, kept });
    const last = files.at(-1);
    const following = KINDS[KINDS.indexOf(kind) + 1];
    if (files.length === PAGE && last) {
      await work.advance(() => Promise.resolve({ report: counted, cursor: { kind, after: last.key } }));
    } else if (following !== undefined) {
      await work.advance(() => Promise.resolve({ report: counted, cursor: { kind: following, after: null } }));
    } else {
      await deleteRest(options, organization);
      await work.advance(() => Promise.resolve({ report: counted, step: next }));
    }
  };
}

/** Uploaded audio, and the archives of exports. */
async function deleteRest({ db, stores, media }: DeleteFilesOptions, organization: string): Promise<void> {
  for (const { storage, storage_key } of await privacyArchives(db, organization)) {
    await stores.of(storage).remove(storage_key);
  }
  for (const id of await uploadedAudio(db, organization)) {
    await media.remove(id).catch((error: unknown) => {
      throw error instanceof MediaError ? new Later(MEDIA_SECONDS, 'media') : error;
    });
  }
}
