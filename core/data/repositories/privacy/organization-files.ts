import type { ArchivePart } from '../../rows.js';
import type { Queryable } from '../../database.js';

/** A file of an organization in a storage. */
export interface StoredFile {
  /** Orders the files of its kind. */
  readonly key: string;
  readonly storage: ArchivePart['storage'];
  readonly storage_key: string;
}

export const STORED_KINDS = ['recordings', 'documents', 'message_files', 'cdr'] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

/** `$1`: the organization; `$2`: the key of the last one, or null; `$3`: how many. */
const SELECTS: Readonly<Record<StoredKind, string>> = {
  recordings: `
    SELECT id::text AS key, storage, storage_key, legal_hold AS is_held FROM recordings
    WHERE organization_id = $1 AND status = 'available' AND storage_key IS NOT NULL AND ($2::uuid IS NULL OR id > $2::uuid)
    ORDER BY id LIMIT $3`,
  documents: `
    SELECT document.id::text AS key, storage, storage_key, false AS is_held FROM number_documents AS document
    LEFT JOIN porting_requests AS porting ON porting.id = porting_request_id
    LEFT JOIN own_number_claims AS claim ON claim.id = claim_id
    LEFT JOIN production_requests AS production ON production.id = production_request_id
    WHERE coalesce(porting.organization_id, claim.organization_id, production.organization_id) = $1
      AND ($2::uuid IS NULL OR document.id > $2::uuid)
    ORDER BY document.id LIMIT $3`,
  message_files: `
    SELECT id::text AS key, storage, storage_key, false AS is_held FROM message_files
    WHERE organization_id = $1 AND ($2::uuid IS NULL OR id > $2::uuid) ORDER BY id LIMIT $3`,
  cdr: `
    SELECT * FROM (
      SELECT day::text || '.' || lpad(revision::text, 6, '0') AS key, storage, storage_key, false AS is_held FROM cdr_files
      WHERE organization_id = $1 AND removed_at IS NULL
    ) AS file WHERE ($2::text IS NULL OR key > $2 COLLATE "C") ORDER BY key COLLATE "C" LIMIT $3`,
};

/** Files of an organization, in a fixed order. */
export function storedFiles(
  on: Queryable,
  kind: StoredKind,
  organizationId: string,
  after: string | null,
  limit: number,
): Promise<(StoredFile & { readonly is_held: boolean })[]> {
  return on.query(SELECTS[kind], [organizationId, after, limit]);
}

/** Audio that was uploaded for the organization: in the media store, not in the storage. */
export async function uploadedAudio(on: Queryable, organizationId: string): Promise<string[]> {
  const rows = await on.query<{ id: string }>(
    `SELECT audio.id::text AS id FROM audio_files AS audio JOIN projects ON projects.id = audio.project_id
       WHERE projects.organization_id = $1
     UNION SELECT audio_id::text FROM virtual_numbers WHERE organization_id = $1 AND audio_id IS NOT NULL
     UNION SELECT greeting->>'media_id' FROM voicemail_boxes
       WHERE organization_id = $1 AND greeting->>'media_id' IS NOT NULL
     ORDER BY id`,
    [organizationId],
  );
  return rows.map(({ id }) => id);
}

/** The archives of the exports that the organization made. */
export async function privacyArchives(on: Queryable, organizationId: string): Promise<ArchivePart[]> {
  const rows = await on.query<{ parts: ArchivePart[] }>(
    `SELECT parts FROM privacy_jobs WHERE organization_id = $1 AND parts <> '[]'`,
    [organizationId],
  );
  return rows.flatMap(({ parts }) => parts);
}

/** Files of call detail records of days before this one, `YYYY-MM-DD`, which are still stored. */
export function oldCdrFiles(
  on: Queryable,
  organizationId: string,
  before: string,
  limit: number,
): Promise<(StoredFile & { readonly day: string; readonly revision: number })[]> {
  return on.query(
    `SELECT day::text AS day, revision, '' AS key, storage, storage_key FROM cdr_files
     WHERE organization_id = $1 AND day < $2::date ORDER BY cdr_files.day, revision LIMIT $3`,
    [organizationId, before, limit],
  );
}

export async function forgetCdrFile(
  tx: Queryable,
  organizationId: string,
  { day, revision }: { readonly day: string; readonly revision: number },
): Promise<void> {
  await tx.query(`DELETE FROM cdr_files WHERE organization_id = $1 AND day = $2::date AND revision = $3`, [
    organizationId,
    day,
    revision,
  ]);
}
