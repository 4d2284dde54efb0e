import { violatedUnique } from '../../data/errors.js';
import type { BrandScope, BrandStep, BrandTable } from '../../data/repositories/verification/brands.js';
import type { Position } from '../../data/repositories/calls/calls.js';
import type { BrandRow, BrandStatus } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';

/** Who makes a brand. */
export interface BrandMaker {
  readonly organizationId: string;
  readonly projectId: string;
  readonly sandbox: boolean;
  readonly keyId: string;
  readonly requestId: string;
}

/** In both languages. */
export type BrandNames = Pick<BrandRow, 'name_en' | 'name_ar'>;

/**
 * The names under which calls introduce themselves. Who is called believes them, so a person looks at each before it is spoken: draft → pending
 * → approved or rejected. Those of the sandbox, which nobody hears, are approved at once.
 */
export class Brands {
  constructor(
    private readonly table: BrandTable,
    private readonly clock: Clock,
  ) {}

  /** @throws HatifError VOICE_AUTH_BRAND_DUPLICATE */
  async create(names: BrandNames, maker: BrandMaker): Promise<BrandRow> {
    const row: BrandRow = {
      ...names,
      id: newId(),
      organization_id: maker.organizationId,
      project_id: maker.projectId,
      sandbox: maker.sandbox,
      status: 'draft',
      rejection_reason: null,
      created_by_key: maker.keyId,
      request_id: maker.requestId,
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

  /** What a request made before its process died. */
  createdBy(organizationId: string, keyId: string, requestId: string): Promise<BrandRow | null> {
    return this.table.createdBy(organizationId, keyId, requestId);
  }

  list(scope: BrandScope, status: BrandStatus | undefined, after: Position | null, limit: number): Promise<BrandRow[]> {
    return this.table.list(scope, status, { after, limit });
  }

  /** Ask for approval. @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND, VOICE_AUTH_BRAND_INVALID_STATE */
  async submit(scope: BrandScope, id: string): Promise<BrandRow> {
    const { sandbox } = await this.get(scope, id);
    const now = this.clock.now();
    return this.#step(
      id,
      'draft',
      sandbox ? { status: 'approved', submitted_at: now, decided_at: now } : { status: 'pending', submitted_at: now },
    );
  }

  /** For the operator: what waits for approval, of all organizations. */
  waiting(): Promise<BrandRow[]> {
    return this.table.waiting();
  }

  /** By the operator. @throws HatifError VOICE_AUTH_BRAND_NOT_FOUND, VOICE_AUTH_BRAND_INVALID_STATE */
  approve(id: string): Promise<BrandRow> {
    return this.#step(id, 'pending', { status: 'approved', decided_at: this.clock.now() });
  }

  /** By the operator. @param reason for the organization. @throws as {@link approve} does */
  reject(id: string, reason: string | null): Promise<BrandRow> {
    return this.#step(id, 'pending', {
      status: 'rejected',
      decided_at: this.clock.now(),
      rejection_reason: reason,
    });
  }

  /**
   * The name to be spoken on behalf of somebody; null where none is asked for.
   * @throws HatifError VALIDATION_ERROR for one that they do not have, VOICE_AUTH_BRAND_NOT_APPROVED
   */
  async spoken(
    id: string | null,
    language: SpokenLanguage,
    { organizationId, sandbox }: Pick<BrandMaker, 'organizationId' | 'sandbox'>,
  ): Promise<string | null> {
    if (id === null) return null;
    const row = await this.table.get({ organizationId, sandboxOnly: sandbox }, id);
    // Nobody looked at those of the sandbox: no telephone ever rings with one.
    if (row?.sandbox !== sandbox) {
      throw invalidField('brand_id', {
        en: 'is not a brand of this organization',
        ar: 'ليس علامة تجارية لهذه المؤسسة',
      });
    }
    if (row.status === 'approved') return nameIn(row, language);
    throw new HatifError('VOICE_AUTH_BRAND_NOT_APPROVED', { brand_id: row.id, status: row.status });
  }

  /** The name of one that was {@link spoken} before. */
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
