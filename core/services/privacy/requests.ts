import type { Members } from '../../data/repositories/accounts/members.js';
import type { PrivacyJobs } from '../../data/repositories/privacy/jobs.js';
import type { PrivacyJobRow, UserRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { mayGrant } from '../../model/access/roles.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { maskSubject, type Subject } from '../../model/privacy/subject.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { ObjectStores } from '../../ports/object-store.js';
import { assertOfAllProjects, type ActingMember } from '../accounts/acting-member.js';
import { openPart, type OpenArchive } from '../archives/open.js';
import { assertNotLastOwner } from '../accounts/last-owner.js';
import { newWork } from '../resumable-work/new-work.js';
import { checkSubject } from './subject.js';

export type PrivacyKind = PrivacyJobRow['kind'];

export interface PrivacyRequestsOptions {
  readonly jobs: PrivacyJobs;
  readonly members: Members;
  readonly stores: ObjectStores;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** How many exports, and how many erasures, an organization may have at the same time. */
export const MOST_REQUESTS = 20;

const KINDS: Readonly<Record<PrivacyKind, Phrase>> = {
  export: { en: 'exports', ar: 'التصدير' },
  erasure: { en: 'erasures', ar: 'المحو' },
};

/** Exports and erasures of what an organization holds of a person, as its owners and admins ask for them. */
export class PrivacyRequests {
  constructor(private readonly options: PrivacyRequestsOptions) {}

  /**
   * Makes a job of the request; {@link PrivacyTask} does it.
   * @throws HatifError INSUFFICIENT_ROLE, INVALID_PHONE_NUMBER, VALIDATION_ERROR, LAST_OWNER,
   * PRIVACY_REQUEST_LIMIT_EXCEEDED
   */
  async create(kind: PrivacyKind, actor: ActingMember, wanted: Subject, requestId: string): Promise<PrivacyJobRow> {
    const { jobs, members, cipher, clock } = this.options;
    assertOfAllProjects(actor);
    const { subject, member } = await checkSubject(wanted, actor.organizationId, members);
    if (kind === 'erasure' && member) await this.#assertMayErase(actor, member);
    const row: PrivacyJobRow = {
      ...newWork(requestId, clock.now()),
      organization_id: actor.organizationId,
      kind,
      subject: cipher.seal(subject.value),
      subject_type: subject.type,
      subject_masked: maskSubject(subject),
      requested_by: actor.id,
      step: firstStep(kind, subject),
    };
    if (!(await jobs.add(row, MOST_REQUESTS))) {
      throw new HatifError('PRIVACY_REQUEST_LIMIT_EXCEEDED', { what: KINDS[kind], max: MOST_REQUESTS });
    }
    return row;
  }

  /** Newest first. */
  async list(kind: PrivacyKind, actor: ActingMember, before: string | null, limit: number): Promise<PrivacyJobRow[]> {
    assertOfAllProjects(actor);
    return this.options.jobs.page(actor.organizationId, kind, before, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get(kind: PrivacyKind, actor: ActingMember, id: string): Promise<PrivacyJobRow> {
    assertOfAllProjects(actor);
    const row = await this.options.jobs.get(actor.organizationId, kind, id);
    if (row) return row;
    throw new HatifError('NOT_FOUND', { what: { en: `the request ${id}`, ar: arabic`الطلب ${id}` } });
  }

  /** Opens a file of an export, from 1. @throws HatifError NOT_FOUND, ARCHIVE_NOT_READY, ARCHIVE_EXPIRED, RECORDING_SERVICE_UNAVAILABLE */
  async open(actor: ActingMember, id: string, part: number): Promise<OpenArchive> {
    const row = await this.get('export', actor, id);
    return openPart(this.options.stores, row, part);
  }

  async #assertMayErase(actor: ActingMember, member: UserRow): Promise<void> {
    if (!mayGrant(actor.role, member.role)) throw new HatifError('INSUFFICIENT_ROLE', { role: 'owner' });
    await this.options.members.exclusively(actor.organizationId, (tx) =>
      assertNotLastOwner(this.options.members, tx, member),
    );
  }
}

function firstStep(kind: PrivacyKind, { type }: Subject): string {
  if (type !== 'user') return 'find';
  return kind === 'export' ? 'archive' : 'member';
}
