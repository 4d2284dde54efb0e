import type { ContactGroups } from '../../../data/repositories/contacts/contact-groups.js';
import type { ContactImports } from '../../../data/repositories/contacts/contact-imports.js';
import type { ContactScope } from '../../../data/repositories/contacts/contacts.js';
import type { ProjectKind } from '../../../data/repositories/project-kind.js';
import type { ContactImportRow, ImportFaultRow, ImportLine } from '../../../data/rows.js';
import { HatifError, invalidField } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import { arabic } from '../../../model/wording/wording.js';
import type { Clock } from '../../../ports/clock.js';
import type { ContactOwner } from '../contacts.js';
import { HAS_RULES } from '../groups.js';
import { readImportFile } from './read-file.js';

export interface ContactImportServiceOptions {
  readonly imports: ContactImports;
  readonly groups: Pick<ContactGroups, 'get'>;
  readonly clock: Clock;
}

export interface NewImport {
  /** Where the file is now. */
  readonly path: string;
  readonly fileName: string;
  readonly existing: 'update' | 'skip';
  readonly groupId: string | null;
  readonly requestId: string;
}

/** Lines that are imported in one transaction. */
const PIECE_LINES = 500;
/** Imports of one kind, live or sandbox, of a project. */
const MOST_UNFINISHED = 5;
const LONGEST_NAME = 255;
const UNFINISHED = { en: 'imports that are not finished', ar: 'عمليات الاستيراد غير المنتهية' };
const NO_GROUP = { en: 'is not a contact group of this project', ar: 'ليس مجموعة جهات اتصال في هذا المشروع' };

/** Files of contacts that organizations import. {@link ContactImportTask} does it, in the background. */
export class ContactImportService {
  constructor(private readonly options: ContactImportServiceOptions) {}

  /**
   * Checks the form of a file, and stores its lines.
   * @throws HatifError VALIDATION_ERROR, CONTACT_LIMIT_EXCEEDED
   */
  async start(owner: ContactOwner, wanted: NewImport): Promise<ContactImportRow> {
    const { imports, clock } = this.options;
    await this.#assertGroup(owner, wanted.groupId);
    const { columns, lines } = await readImportFile(wanted.path);
    const now = clock.now();
    const row: ContactImportRow = {
      ...{ id: newId(), organization_id: owner.organizationId, project_id: owner.projectId, sandbox: owner.sandbox },
      ...{ file_name: wanted.fileName.slice(0, LONGEST_NAME), existing: wanted.existing },
      ...{ group_id: wanted.groupId, has_group: wanted.groupId !== null, columns },
      ...{ status: 'waiting', problem: null, total: lines.length, created: 0, updated: 0, unchanged: 0, skipped: 0 },
      ...{ failed: 0, attempts: 0, due_at: now, request_id: wanted.requestId, created_at: now, finished_at: null },
    };
    if (!(await imports.add(row, piecesOf(lines), MOST_UNFINISHED))) {
      throw new HatifError('CONTACT_LIMIT_EXCEEDED', { what: UNFINISHED, max: MOST_UNFINISHED });
    }
    return row;
  }

  /** The import that a request made; null if it made none. */
  ofRequest(kind: ProjectKind, requestId: string): Promise<ContactImportRow | null> {
    return this.options.imports.ofRequest(kind, requestId);
  }

  /** Newest first, only those before `beforeId`. */
  page(scope: ContactScope, beforeId: string | null, limit: number): Promise<ContactImportRow[]> {
    return this.options.imports.page(scope, beforeId, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get(scope: ContactScope, id: string): Promise<ContactImportRow> {
    const row = await this.options.imports.get(scope, id);
    if (row) return row;
    throw new HatifError('NOT_FOUND', { what: { en: `the import ${id}`, ar: arabic`عملية الاستيراد ${id}` } });
  }

  /** What was wrong with lines so far, only after this one. @throws HatifError NOT_FOUND */
  async faults(
    scope: ContactScope,
    id: string,
    after: { readonly line: number; readonly number: number },
    limit: number,
  ): Promise<ImportFaultRow[]> {
    const { id: importId } = await this.get(scope, id);
    return this.options.imports.faults(importId, after, limit);
  }

  async #assertGroup({ projectId, sandbox }: ContactOwner, groupId: string | null): Promise<void> {
    if (groupId === null) return;
    const group = await this.options.groups.get({ projectId, sandboxOnly: sandbox }, groupId);
    if (group?.sandbox !== sandbox) throw invalidField('group_id', NO_GROUP);
    if (group.rules !== null) throw invalidField('group_id', HAS_RULES);
  }
}

function piecesOf(lines: readonly ImportLine[]): (readonly ImportLine[])[] {
  const count = Math.ceil(lines.length / PIECE_LINES);
  return Array.from({ length: count }, (_, index) => lines.slice(index * PIECE_LINES, (index + 1) * PIECE_LINES));
}
