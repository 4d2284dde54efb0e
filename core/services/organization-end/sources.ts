import type { Database, Queryable } from '../../data/database.js';
import { FIRST_ID } from '../../data/repositories/maintenance/retention.js';
import { projectAfter, type SearchPosition } from '../../data/repositories/privacy/found-calls.js';
import { pageOfCalls } from '../../data/repositories/privacy/organization-calls.js';
import {
  storedFiles,
  STORED_KINDS,
  uploadedAudio,
  type StoredKind,
} from '../../data/repositories/privacy/organization-files.js';
import { archivedRows } from '../../data/repositories/privacy/organization-rows.js';
import { ARCHIVED_TABLES } from '../../data/repositories/privacy/organization-tables.js';
import { wholeCalls, type WholeCall } from '../../data/repositories/privacy/person-calls.js';
import { rowsSource, type ArchiveSource } from '../archives/members.js';

export interface OrganizationSourcesOptions {
  readonly db: Database;
  /** Path of uploaded audio on this machine, without extension. */
  readonly audioPath: (id: string) => string;
}

const ROWS = 1_000;
const CALLS = 200;
const FILES = 100;

/** The first position in the calls of the first project after this one; null: there is none. */
export async function firstCalls(
  on: Queryable,
  organizationId: string,
  after: string | null,
): Promise<SearchPosition | null> {
  const projectId = await projectAfter(on, organizationId, after);
  return projectId === null ? null : { projectId, createdAt: '-infinity', id: FIRST_ID };
}

/** Everything that the archive of an organization has, in its order. */
export function organizationSources(
  { db, audioPath }: OrganizationSourcesOptions,
  organizationId: string,
): readonly ArchiveSource[] {
  return [
    ...ARCHIVED_TABLES.map((table) =>
      rowsSource(table.name, async (after) => {
        const rows = await archivedRows(db, table, organizationId, after, ROWS);
        return {
          rows: rows.map(({ shown }) => shown),
          after: rows.length === ROWS ? (rows.at(-1)?.key ?? null) : null,
        };
      }),
    ),
    callsSource(db, organizationId),
    ...STORED_KINDS.map((kind) => filesSource(db, kind, organizationId)),
    audioSource(db, organizationId, audioPath),
  ];
}

function callsSource(db: Database, organizationId: string): ArchiveSource {
  return rowsSource('calls', async (after) => {
    const from = after === null ? await firstCalls(db, organizationId, null) : (JSON.parse(after) as SearchPosition);
    if (from === null) return { rows: [], after: null };
    const { calls, next } = await pageOfCalls(db, from, null, CALLS);
    const whole = await wholeCalls(
      db,
      calls.map(({ id }) => ({ call_id: id, is_party: false })),
    );
    const following = next ?? (await firstCalls(db, organizationId, from.projectId));
    return { rows: whole.map(archivedCall), after: following && JSON.stringify(following) };
  });
}

/** A call with all that belongs to it, without the state of the platform. */
function archivedCall({ call, is_party: _, call_id: _id, ...rest }: WholeCall): object {
  const { program: _program, options: _options, epoch: _epoch, ...shown } = call;
  return { ...shown, ...rest };
}

function filesSource(db: Database, kind: StoredKind, organizationId: string): ArchiveSource {
  return {
    async *members(position) {
      let after = position;
      for (;;) {
        const files = await storedFiles(db, kind, organizationId, after, FILES);
        for (const { key, storage, storage_key } of files) {
          const name = storage_key.split('/').at(-1) ?? key;
          yield {
            position: key,
            name: `${kind}/${name}`,
            content: { storage, key: storage_key },
            category: kind,
            count: 1,
          };
        }
        after = files.at(-1)?.key ?? null;
        if (files.length < FILES) return;
      }
    },
  };
}

function audioSource(db: Database, organizationId: string, audioPath: (id: string) => string): ArchiveSource {
  return {
    async *members(position) {
      for (const id of await uploadedAudio(db, organizationId)) {
        if (position !== null && id <= position) continue;
        const path = `${audioPath(id)}.wav16`;
        yield { position: id, name: `audio/${id}.wav`, content: { path }, category: 'audio', count: 1 };
      }
    },
  };
}
