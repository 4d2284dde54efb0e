import type { Queryable } from '../../data/database.js';
import { UNASSIGNED, type Inventory, type NumberMove } from '../../data/repositories/numbers/inventory.js';
import type { InventoryRow, NumberRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { ANY_NUMBER, type NumberSearch } from '../../model/number/search.js';
import type { Clock } from '../../ports/clock.js';
import { NumberProviderError, type NumberProvider, type OfferedNumber } from '../../ports/number-provider.js';
import { newNumberRow, type Assignment, type NumberAssigner, type NumberOwner } from './number-assigner.js';
import { providerFailed } from './provider-failed.js';

export interface OrderNumberOptions {
  readonly inventory: Inventory;
  readonly assigner: NumberAssigner;
  readonly providers: readonly NumberProvider[];
  readonly clock: Clock;
}

/** The order: a specific number, or any number that matches a search. */
export type OrderRequest = { readonly e164: string } | { readonly search: NumberSearch };

/** An order that takes longer than this was abandoned by a process that died; the sweep undoes it. */
export const ORDER_LEASE_MS = 60_000;
/** Other customers may take a number after it was offered; after this many attempts the order fails. */
const MAX_ATTEMPTS = 20;
/** How many numbers of a range are added to the inventory at once. */
const REPLENISH_COUNT = 20;

const ORDERED: Assignment = { reason: 'ordered', binding: null, mayBeMain: true };

/**
 * Orders numbers in three steps: reserves the number in the inventory, so that nobody else gets it, then with the
 * provider, and then assigns it. If the outcome at the provider is unknown, a repetition of the same order completes it
 * or the sweep undoes it.
 */
export class OrderNumber {
  constructor(private readonly options: OrderNumberOptions) {}

  /** @throws HatifError NUMBER_NOT_AVAILABLE, NUMBER_ALREADY_ASSIGNED, NUMBER_PROVIDER_ERROR */
  order(request: OrderRequest, owner: NumberOwner, assignment: Assignment = ORDERED): Promise<NumberRow> {
    return 'e164' in request
      ? this.#orderOne(request.e164, owner, assignment)
      : this.#orderAny(request.search, owner, assignment);
  }

  async #orderOne(e164: string, owner: NumberOwner, assignment: Assignment): Promise<NumberRow> {
    const { inventory, assigner, clock } = this.options;
    const at = clock.now();
    const unfinished = await inventory.resumeOrder(e164, owner.projectId, at, leaseEnd(at));
    if (unfinished) return this.#finish(unfinished, owner, assignment);
    const fromStock = await assigner.change((tx, lanes) =>
      this.#take(tx, lanes, owner, assignment, (move) => inventory.move(e164, move, tx)),
    );
    if (fromStock) return fromStock;
    const known = await inventory.find(e164);
    if (known !== null && known.state !== 'released') throw numberTaken(known);
    for (const provider of this.options.providers) {
      const offered = await this.#offerOf(provider, e164);
      if (offered) return this.#fromProvider(provider, offered, owner, assignment);
    }
    throw notAvailable(e164);
  }

  async #orderAny(search: NumberSearch, owner: NumberOwner, assignment: Assignment): Promise<NumberRow> {
    const { assigner, providers } = this.options;
    const fromStock = await assigner.change((tx, lanes) => this.takeInStock(tx, lanes, search, owner, assignment));
    if (fromStock) return fromStock;
    let attempts = 0;
    for (const provider of providers) {
      for await (const offered of this.#freeOffers(provider, search)) {
        try {
          return await this.#fromProvider(provider, offered, owner, assignment);
        } catch (error) {
          attempts += 1;
          if (!isTaken(error) || attempts === MAX_ATTEMPTS) throw error;
        }
      }
    }
    throw notAvailable(described(search));
  }

  /** Assigns an available number that matches, without asking any provider. @returns null if there is none */
  takeInStock(
    tx: Queryable,
    lanes: string[],
    search: NumberSearch,
    owner: NumberOwner,
    assignment: Assignment,
  ): Promise<NumberRow | null> {
    return this.#take(tx, lanes, owner, assignment, (move) => this.options.inventory.takeAny(search, move, tx));
  }

  /**
   * Adds some matching numbers from the operator's ranges to the inventory. @returns whether a range had numbers that
   * were not in the inventory
   */
  async replenish(search: NumberSearch): Promise<boolean> {
    const { inventory, providers, clock } = this.options;
    for (const provider of providers) {
      if (provider.source !== 'operator') continue;
      const fresh: OfferedNumber[] = [];
      for await (const offered of this.#freeOffers(provider, search)) {
        if (fresh.push(offered) === REPLENISH_COUNT) break;
      }
      const rows = fresh.map((one) => newNumberRow({ ...one, state: 'available', source: 'operator' }, clock.now()));
      // A concurrent request may just have added the same numbers.
      await inventory.add(rows, 'added from a range');
      if (rows.length > 0) return true;
    }
    return false;
  }

  async #take(
    tx: Queryable,
    lanes: string[],
    owner: NumberOwner,
    assignment: Assignment,
    take: (move: NumberMove) => Promise<InventoryRow | null>,
  ): Promise<NumberRow | null> {
    const order_id = newId();
    const reserved = await take({
      from: ['available'],
      to: 'reserved',
      changes: { organization_id: owner.organizationId, project_id: owner.projectId, order_id },
      reason: assignment.reason,
      at: this.options.clock.now(),
    });
    return (
      reserved && this.options.assigner.assign(tx, lanes, reserved.e164, ['reserved'], owner, assignment, {}, order_id)
    );
  }

  async #fromProvider(
    provider: NumberProvider,
    offered: OfferedNumber,
    owner: NumberOwner,
    assignment: Assignment,
  ): Promise<NumberRow> {
    const { inventory, clock } = this.options;
    const at = clock.now();
    const changes = {
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      source: provider.source,
      provider: provider.name,
      order_id: newId(),
      due_at: leaseEnd(at),
    };
    const { e164 } = offered;
    const [added] = await inventory.add(
      [newNumberRow({ ...offered, state: 'reserved', ...changes }, at)],
      assignment.reason,
    );
    const move: NumberMove = { from: ['released'], to: 'reserved', changes, reason: assignment.reason, at };
    const reserved = added ?? (await inventory.move(e164, move));
    if (reserved) return this.#finish(reserved, owner, assignment);
    const known = await inventory.find(e164);
    throw known ? numberTaken(known) : notAvailable(e164);
  }

  /** Completes an order whose number is reserved in the inventory. */
  async #finish(row: InventoryRow, owner: NumberOwner, assignment: Assignment): Promise<NumberRow> {
    const { inventory, assigner, providers, clock } = this.options;
    const { e164, order_id: orderId } = row;
    const provider = providers.find(({ name }) => name === row.provider);
    if (!provider || orderId === null)
      throw providerFailed(`the provider ${row.provider ?? ''} is no longer configured`);
    try {
      await provider.reserve({ id: orderId, e164 });
    } catch (error) {
      if (!(error instanceof NumberProviderError)) throw error;
      // If the outcome is unknown, a repetition of the order or the sweep resolves it; setting the due time lets either
      // begin at once.
      if (error.problem === 'indeterminate') await inventory.setDue(e164, orderId, clock.now());
      else await this.#undo(row, error.message);
      if (error.problem === 'not_available') throw notAvailable(e164);
      throw providerFailed(error.message, error);
    }
    const assigned = await assigner.change((tx, lanes) =>
      assigner.assign(tx, lanes, e164, ['reserved'], owner, assignment, {}, orderId),
    );
    if (!assigned) throw providerFailed('the order took too long and was undone');
    return assigned;
  }

  async #undo({ e164, order_id }: InventoryRow, reason: string): Promise<void> {
    const move: NumberMove = {
      from: ['reserved'],
      to: 'released',
      changes: UNASSIGNED,
      reason: `order failed: ${reason}`,
      at: this.options.clock.now(),
    };
    await this.options.inventory.move(e164, move, undefined, order_id);
  }

  async #offerOf(provider: NumberProvider, e164: string): Promise<OfferedNumber | null> {
    for await (const offered of this.#freeOffers(provider, { ...ANY_NUMBER, prefix: e164, pattern: e164.slice(1) })) {
      if (offered.e164 === e164) return offered;
    }
    return null;
  }

  /** Numbers that the provider offers and that are free here. */
  async *#freeOffers(provider: NumberProvider, search: NumberSearch): AsyncGenerator<OfferedNumber> {
    try {
      for await (const batch of provider.offers(search)) yield* await withoutTaken(this.options.inventory, batch);
    } catch (error) {
      if (error instanceof NumberProviderError) throw providerFailed(error.message, error);
      throw error;
    }
  }
}

/** Removes offers whose number is in the inventory, unless it has been released. */
export async function withoutTaken(inventory: Inventory, offers: readonly OfferedNumber[]): Promise<OfferedNumber[]> {
  const known = await inventory.findMany(offers.map(({ e164 }) => e164));
  const taken = new Set(known.filter(({ state }) => state !== 'released').map(({ e164 }) => e164));
  return offers.filter(({ e164 }) => !taken.has(e164));
}

function leaseEnd(at: Date): Date {
  return new Date(at.getTime() + ORDER_LEASE_MS);
}

function isTaken(error: unknown): boolean {
  return (
    error instanceof HatifError && (error.code === 'NUMBER_NOT_AVAILABLE' || error.code === 'NUMBER_ALREADY_ASSIGNED')
  );
}

/** The error for a number that is in the inventory and cannot be ordered. */
export function numberTaken({ e164, state }: Pick<InventoryRow, 'e164' | 'state'>): HatifError {
  return state === 'assigned' ? new HatifError('NUMBER_ALREADY_ASSIGNED', { number: e164 }) : notAvailable(e164);
}

export function notAvailable(request: string | { en: string; ar: string }): HatifError {
  return new HatifError('NUMBER_NOT_AVAILABLE', { wanted: request });
}

function described({ prefix, kind, pattern }: NumberSearch): { en: string; ar: string } {
  const parts = [prefix, kind, pattern].filter((part) => part !== null).join(' ');
  return parts === '' ? { en: 'any number', ar: 'أي رقم' } : { en: parts, ar: parts };
}
