import { violatedUnique } from '../../data/errors.js';
import type { BrandScope, BrandStep, BrandTable } from '../../data/repositories/verification/brands.js';
import type { Position } from '../../data/repositories/calls/calls.js';
import type { BrandRow, BrandStatus } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';

/** The key and request that create a brand. */
export interface BrandCreator {
  readonly organizationId: string;
  readonly projectId: string;
  readonly sandbox: boolean;
  readonly keyId: string;
  readonly requestId: string;
}

const BRAND_STATUSES: readonly BrandStatus[] = ['draft', 'pending', 'approved', 'rejected'];

/** A brand's name in both languages. */
export type BrandNames = Pick<BrandRow, 'name_en' | 'name_ar'>;

/**
 * Manages the brand names that authentication calls speak. Callees trust these names, so the operator reviews each one
 * before it is spoken: draft → pending → approved or rejected. A rejected one can be submitted again, and a changed name
 * is a draft. Sandbox brands are approved at once, because they never reach a telephone.
 */
export class Brands {
  constructor(
    private readonly table: BrandTable,
    private readonly clock: Clock,
  ) {}

  /** @throws HatifError VOICE_AUTH_BRAND_DUPLICATE */
  async create(names: BrandNames, creator: BrandCreator): Promise<BrandRow> {
    const row: BrandRow = {
      ...names,
      id: newId(),
      organization_id: creator.organizationId,
      project_id: creator.projectId,
      sandbox: creator.sandbox,
      status: 'draft',
      rejection_reason: null,
      created_by_key: creator.keyId,
      request_id: creator.requestId,
      created_at: this.clock.now(),
      submitted_at: null,
      decided_at: null,
      deleted_at: null,
    };
    await unique(names, () => this.table.create(row));
    return row;
  }

  /** @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND */
  async get(scope: BrandScope, id: string): Promise<BrandRow> {
    const row = await this.table.get(scope, id);
    if (!row) throw notFound(id);
    return row;
  }

  /** The brand that a request created before its process died. */
  createdBy(projectId: string, keyId: string, requestId: string): Promise<BrandRow | null> {
    return this.table.createdBy(projectId, keyId, requestId);
  }

  list(scope: BrandScope, status: BrandStatus | undefined, after: Position | null, limit: number): Promise<BrandRow[]> {
    return this.table.list(scope, status, { after, limit });
  }

  /**
   * Submits a draft for approval, or a rejected brand again.
   * @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND, VOICE_AUTH_BRAND_INVALID_STATE, VOICE_AUTH_BRAND_DUPLICATE
   */
  async submit(scope: BrandScope, id: string): Promise<BrandRow> {
    const row = await this.get(scope, id);
    const now = this.clock.now();
    const submitted = { submitted_at: now, rejection_reason: null };
    const step: BrandStep = row.sandbox
      ? { ...submitted, status: 'approved', decided_at: now }
      : { ...submitted, status: 'pending', decided_at: null };
    return unique(row, () => this.#step(id, ['draft', 'rejected'], step));
  }

  /**
   * Changes names. The brand is then a draft: the operator has not reviewed the new names.
   * @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND, VOICE_AUTH_BRAND_INVALID_STATE while the operator reviews it,
   * VOICE_AUTH_BRAND_DUPLICATE
   */
  async change(scope: BrandScope, id: string, changes: Partial<BrandNames>): Promise<BrandRow> {
    const row = await this.get(scope, id);
    const names = { name_en: changes.name_en ?? row.name_en, name_ar: changes.name_ar ?? row.name_ar };
    if (names.name_en === row.name_en && names.name_ar === row.name_ar) return row;
    const step = { ...names, status: 'draft', submitted_at: null, decided_at: null, rejection_reason: null } as const;
    return unique(names, () => this.#step(id, ['draft', 'approved', 'rejected'], step));
  }

  /** Deletes a brand in any status; its names are free again. @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND */
  async remove(scope: BrandScope, id: string): Promise<void> {
    await this.get(scope, id);
    await this.table.step(id, BRAND_STATUSES, { deleted_at: this.clock.now() });
  }

  /** For the operator: the live brands of all organizations, newest first. @param before the last one of the page before */
  page(status: BrandStatus | null, before: string | null, limit: number): Promise<BrandRow[]> {
    return this.table.page(status, before, limit);
  }

  /** For the operator: the brands of all organizations that await approval. */
  waiting(): Promise<BrandRow[]> {
    return this.table.waiting();
  }

  /** Called by the operator. @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND, VOICE_AUTH_BRAND_INVALID_STATE */
  approve(id: string): Promise<BrandRow> {
    return this.#step(id, ['pending'], { status: 'approved', decided_at: this.clock.now() });
  }

  /** Called by the operator. @param reason shown to the organization. @throws as {@link approve} does */
  reject(id: string, reason: string | null): Promise<BrandRow> {
    return this.#step(id, ['pending'], {
      status: 'rejected',
      decided_at: this.clock.now(),
      rejection_reason: reason,
    });
  }

  /**
   * The name to speak in a call; null if the request has no brand.
   * @throws HatifError VALIDATION_ERROR for a brand that the project does not have, VOICE_AUTH_BRAND_NOT_APPROVED
   */
  async spoken(
    id: string | null,
    language: SpokenLanguage,
    { projectId, sandbox }: Pick<BrandCreator, 'projectId' | 'sandbox'>,
  ): Promise<string | null> {
    if (id === null) return null;
    const row = await this.table.get({ projectId, sandboxOnly: sandbox }, id);
    // Sandbox brands have not been reviewed, so a live call must not speak one.
    if (row?.sandbox !== sandbox) {
      throw invalidField('brand_id', {
        en: 'is not a brand of this project',
        ar: 'ليس علامة تجارية لهذا المشروع',
      });
    }
    if (row.status === 'approved') return nameIn(row, language);
    throw new HatifError('VOICE_AUTH_BRAND_NOT_APPROVED', { brand_id: row.id, status: row.status });
  }

  /** The name of a brand that {@link spoken} already accepted. */
  async nameOf(id: string | null, language: SpokenLanguage): Promise<string | null> {
    const row = id === null ? null : await this.table.find(id);
    return row && nameIn(row, language);
  }

  async #step(id: string, from: readonly BrandStatus[], step: BrandStep): Promise<BrandRow> {
    const isDone = await this.table.step(id, from, step);
    const row = await this.table.find(id);
    if (row?.deleted_at !== null) throw notFound(id);
    if (!isDone) throw new HatifError('VOICE_AUTH_BRAND_INVALID_STATE', { status: row.status });
    return row;
  }
}

/** @throws HatifError VOICE_AUTH_BRAND_DUPLICATE if another brand of the project has one of the names */
async function unique<T>(names: BrandNames, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const index = violatedUnique(error);
    if (index === null) throw error;
    const name = index === 'voice_auth_brands_name_ar' ? names.name_ar : names.name_en;
    throw new HatifError('VOICE_AUTH_BRAND_DUPLICATE', { name }, { cause: error });
  }
}

function nameIn(row: BrandNames, language: SpokenLanguage): string {
  return language === 'ar' ? row.name_ar : row.name_en;
}

function notFound(id: string): HatifError {
  return new HatifError('VOICE_AUTH_BRAND_NOT_FOUND', { brand_id: id });
}
