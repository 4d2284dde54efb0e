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

/** A brand's name in both languages. */
export type BrandNames = Pick<BrandRow, 'name_en' | 'name_ar'>;

/**
 * Manages the brand names that authentication calls speak. Callees trust these names, so the operator reviews each one
 * before it is spoken: draft → pending → approved or rejected. Sandbox brands are approved at once, because they never
 * reach a telephone.
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
    };
    try {
      await this.table.create(row);
    } catch (error) {
      const index = violatedUnique(error);
      if (index === null) throw error;
      const name = index === 'voice_auth_brands_name_ar' ? names.name_ar : names.name_en;
      throw new HatifError('VOICE_AUTH_BRAND_DUPLICATE', { name }, { cause: error });
    }
    return row;
  }

  /** @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND */
  async get(scope: BrandScope, id: string): Promise<BrandRow> {
    const row = await this.table.get(scope, id);
    if (!row) throw notFound(id);
    return row;
  }

  /** The brand that a request created before its process died. */
  createdBy(organizationId: string, keyId: string, requestId: string): Promise<BrandRow | null> {
    return this.table.createdBy(organizationId, keyId, requestId);
  }

  list(scope: BrandScope, status: BrandStatus | undefined, after: Position | null, limit: number): Promise<BrandRow[]> {
    return this.table.list(scope, status, { after, limit });
  }

  /** Submits a brand for approval. @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND, VOICE_AUTH_BRAND_INVALID_STATE */
  async submit(scope: BrandScope, id: string): Promise<BrandRow> {
    const { sandbox } = await this.get(scope, id);
    const now = this.clock.now();
    return this.#step(
      id,
      'draft',
      sandbox ? { status: 'approved', submitted_at: now, decided_at: now } : { status: 'pending', submitted_at: now },
    );
  }

  /** For the operator: the brands of all organizations that await approval. */
  waiting(): Promise<BrandRow[]> {
    return this.table.waiting();
  }

  /** Called by the operator. @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND, VOICE_AUTH_BRAND_INVALID_STATE */
  approve(id: string): Promise<BrandRow> {
    return this.#step(id, 'pending', { status: 'approved', decided_at: this.clock.now() });
  }

  /** Called by the operator. @param reason shown to the organization. @throws as {@link approve} does */
  reject(id: string, reason: string | null): Promise<BrandRow> {
    return this.#step(id, 'pending', {
      status: 'rejected',
      decided_at: this.clock.now(),
      rejection_reason: reason,
    });
  }

  /**
   * The name to speak in a call; null if the request has no brand.
   * @throws HatifError VALIDATION_ERROR for a brand that the organization does not have, VOICE_AUTH_BRAND_NOT_APPROVED
   */
  async spoken(
    id: string | null,
    language: SpokenLanguage,
    { organizationId, sandbox }: Pick<BrandCreator, 'organizationId' | 'sandbox'>,
  ): Promise<string | null> {
    if (id === null) return null;
    const row = await this.table.get({ organizationId, sandboxOnly: sandbox }, id);
    // Sandbox brands have not been reviewed, so a live call must not speak one.
    if (row?.sandbox !== sandbox) {
      throw invalidField('brand_id', {
        en: 'is not a brand of this organization',
        ar: 'ليس علامة تجارية لهذه المؤسسة',
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

  async #step(id: string, from: BrandStatus, step: BrandStep): Promise<BrandRow> {
    const isDone = await this.table.step(id, from, step);
    const row = await this.table.find(id);
    if (!row) throw notFound(id);
    if (!isDone) throw new HatifError('VOICE_AUTH_BRAND_INVALID_STATE', { status: row.status });
    return row;
  }
}

function nameIn(row: BrandNames, language: SpokenLanguage): string {
  return language === 'ar' ? row.name_ar : row.name_en;
}

function notFound(id: string): HatifError {
  return new HatifError('VOICE_AUTH_BRAND_NOT_FOUND', { brand_id: id });
}
