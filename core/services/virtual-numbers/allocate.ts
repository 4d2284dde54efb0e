import type { Queryable } from '../../data/database.js';
import type { Contacts } from '../../data/repositories/contacts/contacts.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type { VirtualNumberRow } from '../../data/rows.js';
import { invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { ANY_NUMBER } from '../../model/number/search.js';
import type { Clock } from '../../ports/clock.js';
import type { NumberAssigner, NumberOwner } from '../numbers/number-assigner.js';
import { notAvailable, type OrderNumber } from '../numbers/order.js';
import type { GivenInstructions, PrepareInstructions } from './instructions.js';
import { VIRTUAL_NUMBER } from './program.js';

export interface AllocateVirtualNumberOptions {
  readonly virtualNumbers: VirtualNumbers;
  readonly order: Pick<OrderNumber, 'takeInStock' | 'replenish'>;
  readonly assigner: NumberAssigner;
  readonly prepare: PrepareInstructions;
  readonly contacts: Pick<Contacts, 'get'>;
  readonly clock: Clock;
}

export interface NewVirtualNumber {
  /** The client's id for the end user; each end user gets one number. */
  readonly externalUserId: string;
  readonly displayName: string | null;
  /** Required prefix of the number, in E.164. */
  readonly prefix: string | null;
  /** A contact of the project. */
  readonly contactId: string | null;
  readonly instructions: GivenInstructions;
}

/** Allocates the operator's numbers to end users of projects: one each. Idempotent per end user. */
export class AllocateVirtualNumber {
  constructor(private readonly options: AllocateVirtualNumberOptions) {}

  /** @returns the number that the end user has */
  known(projectId: string, externalUserId: string): Promise<VirtualNumberRow | null> {
    return this.options.virtualNumbers.ofUser(projectId, externalUserId);
  }

  /**
   * @returns the end user's number; `isNew` if it was allocated now. If the end user already has a number, the rest of
   * the request is ignored.
   * @throws HatifError VALIDATION_ERROR for another project's contact, NUMBER_NOT_AVAILABLE, INVALID_PHONE_NUMBER, INVALID_PLAY_URL, CALLFLOW_AUDIO_SERVICE_UNAVAILABLE
   */
  async allocate(request: NewVirtualNumber, owner: NumberOwner): Promise<{ row: VirtualNumberRow; isNew: boolean }> {
    const { prepare } = this.options;
    const known = await this.known(owner.projectId, request.externalUserId);
    if (known) return { row: known, isNew: false };
    await this.#assertContact(request, owner);
    const prepared = await prepare.prepare(request.instructions, owner.projectId);
    const row: Omit<VirtualNumberRow, 'number_id' | 'e164'> = {
      ...prepared,
      id: newId(),
      project_id: owner.projectId,
      organization_id: owner.organizationId,
      status: 'assigned',
      external_user_id: request.externalUserId,
      display_name: request.displayName,
      contact_id: request.contactId,
      assigned_at: this.options.clock.now(),
      released_at: null,
    };
    let allocated: VirtualNumberRow | null = null;
    try {
      allocated = await this.#assign(row, request, owner);
    } finally {
      if (allocated?.id !== row.id) await prepare.discard(prepared.audio_id);
    }
    return { row: allocated, isNew: allocated.id === row.id };
  }

  async #assertContact({ contactId }: NewVirtualNumber, { projectId }: NumberOwner): Promise<void> {
    if (contactId === null) return;
    const contact = await this.options.contacts.get({ projectId, sandboxOnly: false }, contactId);
    if (contact?.sandbox !== false) throw invalidField('contact_id', NO_CONTACT);
  }

  async #assign(
    row: Omit<VirtualNumberRow, 'number_id' | 'e164'>,
    { prefix }: NewVirtualNumber,
    owner: NumberOwner,
  ): Promise<VirtualNumberRow> {
    const { virtualNumbers, order, assigner } = this.options;
    const search = { ...ANY_NUMBER, prefix };
    const assignment = {
      reason: 'allocated to an end user',
      binding: { type: VIRTUAL_NUMBER, target: row.id },
      mayBeMain: false,
    };
    const tryAllocate = (): Promise<VirtualNumberRow | null> =>
      assigner.change(async (tx, lanes) => {
        await lockEndUser(tx, row);
        const existing = await virtualNumbers.ofUser(row.project_id, row.external_user_id, tx);
        if (existing) return existing;
        const number = await order.takeInStock(tx, lanes, search, owner, assignment);
        if (!number) return null;
        const created = { ...row, number_id: number.id, e164: number.e164 };
        await virtualNumbers.insert(created, tx);
        return created;
      });
    for (let more = true; ; more = await order.replenish(search)) {
      const allocated = await tryAllocate();
      if (allocated) return allocated;
      // Tries once more even after nothing was added, because a concurrent request may have added numbers.
      if (!more) break;
    }
    throw notAvailable(prefix ?? { en: 'any number', ar: 'أي رقم' });
  }
}

const NO_CONTACT: Phrase = { en: 'is not a contact of this project', ar: 'ليس جهة اتصال لهذا المشروع' };

/**
 * Serializes requests for the same end user, so that a concurrent request neither takes a second number nor reports
 * that none is left.
 */
async function lockEndUser(
  tx: Queryable,
  row: Pick<VirtualNumberRow, 'project_id' | 'external_user_id'>,
): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 24))`, [
    `${row.project_id} ${row.external_user_id}`,
  ]);
}
