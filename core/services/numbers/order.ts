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

/** What is ordered: this very number, or any that fits. */
export type OrderRequest = { readonly e164: string } | { readonly search: NumberSearch };

/** An order that takes longer than this was left behind by a process that died: the sweep undoes it. */
export const ORDER_LEASE_MS = 60_000;
/** Others may take what was on offer a moment ago; after so many numbers it is said that there is none. */
const MAX_TRIES = 20;
/** So many numbers of a range are put into the inventory at once. */
const REPLENISHED = 20;

const ORDERED: Assignment = { reason: 'ordered', binding: null, mayBeMain: true };

/**
 * Orders numbers: reserved here first, so that nobody else has them, then had from the provider, then assigned. What a provider did with an
 * order of which nothing is known is found out, or undone, later: by the same order asked for again, or by the sweep.
 */
export class OrderNumber {
  constructor(private readonly options: OrderNumberOptions) {}

  /** @throws HatifError NUMBER_NOT_AVAILABLE, NUMBER_ALREADY_ASSIGNED, NUMBER_PROVIDER_ERROR */
  order(wanted: OrderRequest, owner: NumberOwner, how: Assignment = ORDERED): Promise<NumberRow> {
    return 'e164' in wanted ? this.#orderOne(wanted.e164, owner, how) : this.#orderAny(wanted.search, owner, how);
  }

  async #orderOne(e164: string, owner: NumberOwner, how: Assignment): Promise<NumberRow> {
    const { inventory, assigner, clock } = this.options;
    const at = clock.now();
    const unfinished = await inventory.resumeOrder(e164, owner.projectId, at, leaseEnd(at));
    if (unfinished) return this.#finish(unfinished, owner, how);
    const ours = await assigner.change((tx, lanes) =>
      this.#take(tx, lanes, owner, how, (move) => inventory.move(e164, move, tx)),
    );
    if (ours) return ours;
    const known = await inventory.find(e164);
    if (known !== null && known.state !== 'released') throw notToBeHad(known);
    for (const provider of this.options.providers) {
      const offered = await this.#offerOf(provider, e164);
      if (offered) return this.#fromProvider(provider, offered, owner, how);
    }
    throw notAvailable(e164);
  }

  async #orderAny(search: NumberSearch, owner: NumberOwner, how: Assignment): Promise<NumberRow> {
    const { assigner, providers } = this.options;
    const ours = await assigner.change((tx, lanes) => this.takeInStock(tx, lanes, search, owner, how));
    if (ours) return ours;
    let tries = 0;
    for (const provider of providers) {
      for await (const offered of this.#free(provider, search)) {
        try {
          return await this.#fromProvider(provider, offered, owner, how);
        } catch (error) {
          tries += 1;
          if (!isTaken(error) || tries === MAX_TRIES) throw error;
        }
      }
    }
    throw notAvailable(described(search));
  }

  /** Take one of those that fit and nobody has, without asking any provider. @returns null where there is none */
  takeInStock(
    tx: Queryable,
    lanes: string[],
    search: NumberSearch,
    owner: NumberOwner,
    how: Assignment,
  ): Promise<NumberRow | null> {
    return this.#take(tx, lanes, owner, how, (move) => this.options.inventory.takeAny(search, move, tx));
  }

  /** Put some numbers that fit from the operator's ranges into the inventory. @returns whether there were any that nobody had put there before */
  async replenish(search: NumberSearch): Promise<boolean> {
    const { inventory, providers, clock } = this.options;
    for (const provider of providers) {
      if (provider.source !== 'operator') continue;
      const fresh: OfferedNumber[] = [];
      for await (const offered of this.#free(provider, search)) {
        if (fresh.push(offered) === REPLENISHED) break;
      }
      const rows = fresh.map((one) => newNumberRow({ ...one, state: 'available', source: 'operator' }, clock.now()));
      // Another may just have put them there.
      await inventory.add(rows, 'of a range');
      if (rows.length > 0) return true;
    }
    return false;
  }

  async #take(
    tx: Queryable,
    lanes: string[],
    owner: NumberOwner,
    how: Assignment,
    take: (move: NumberMove) => Promise<InventoryRow | null>,
  ): Promise<NumberRow | null> {
    const order_id = newId();
    const reserved = await take({
      from: ['available'],
      to: 'reserved',
      changes: { organization_id: owner.organizationId, project_id: owner.projectId, order_id },
      reason: how.reason,
      at: this.options.clock.now(),
    });
    return reserved && this.options.assigner.assign(tx, lanes, reserved.e164, ['reserved'], owner, how, {}, order_id);
  }

  async #fromProvider(
    provider: NumberProvider,
    offered: OfferedNumber,
    owner: NumberOwner,
    how: Assignment,
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
    const [added] = await inventory.add([newNumberRow({ ...offered, state: 'reserved', ...changes }, at)], how.reason);
    const move: NumberMove = { from: ['released'], to: 'reserved', changes, reason: how.reason, at };
    const reserved = added ?? (await inventory.move(e164, move));
    if (reserved) return this.#finish(reserved, owner, how);
    const known = await inventory.find(e164);
    throw known ? notToBeHad(known) : notAvailable(e164);
  }

  /** The number is reserved here. */
  async #finish(row: InventoryRow, owner: NumberOwner, how: Assignment): Promise<NumberRow> {
    const { inventory, assigner, providers, clock } = this.options;
    const { e164, order_id: orderId } = row;
    const provider = providers.find(({ name }) => name === row.provider);
    if (!provider || orderId === null)
      throw providerFailed(`the provider ${row.provider ?? ''} is not set up any more`);
    try {
      await provider.reserve({ id: orderId, e164 });
    } catch (error) {
      if (!(error instanceof NumberProviderError)) throw error;
      // Who does not know what became of it asks again, or the sweep makes sure that nothing did: both may begin at once.
      if (error.problem === 'indeterminate') await inventory.setDue(e164, orderId, clock.now());
      else await this.#undo(row, error.message);
      if (error.problem === 'not_available') throw notAvailable(e164);
      throw providerFailed(error.message, error);
    }
    const assigned = await assigner.change((tx, lanes) =>
      assigner.assign(tx, lanes, e164, ['reserved'], owner, how, {}, orderId),
    );
    if (!assigned) throw providerFailed('the order took too long and was undone');
    return assigned;
  }

  async #undo({ e164, order_id }: InventoryRow, reason: string): Promise<void> {
    const move: NumberMove = {
      from: ['reserved'],
      to: 'released',
      changes: UNASSIGNED,
      reason: `not ordered: ${reason}`,
      at: this.options.clock.now(),
    };
    await this.options.inventory.move(e164, move, undefined, order_id);
  }

  async #offerOf(provider: NumberProvider, e164: string): Promise<OfferedNumber | null> {
    for await (const offered of this.#free(provider, { ...ANY_NUMBER, prefix: e164, pattern: e164.slice(1) })) {
      if (offered.e164 === e164) return offered;
    }
    return null;
  }

  /** What the provider offers and nobody has here. */
  async *#free(provider: NumberProvider, search: NumberSearch): AsyncGenerator<OfferedNumber> {
    try {
      for await (const batch of provider.offers(search)) yield* await unknownOf(this.options.inventory, batch);
    } catch (error) {
      if (error instanceof NumberProviderError) throw providerFailed(error.message, error);
      throw error;
    }
  }
}

/** Those that nobody has here, and that were not just given up. */
export async function unknownOf(inventory: Inventory, offers: readonly OfferedNumber[]): Promise<OfferedNumber[]> {
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

/** Why a number that is here cannot be had. */
export function notToBeHad({ e164, state }: Pick<InventoryRow, 'e164' | 'state'>): HatifError {
  return state === 'assigned' ? new HatifError('NUMBER_ALREADY_ASSIGNED', { number: e164 }) : notAvailable(e164);
}

export function notAvailable(wanted: string | { en: string; ar: string }): HatifError {
  return new HatifError('NUMBER_NOT_AVAILABLE', { wanted });
}

function described({ prefix, kind, pattern }: NumberSearch): { en: string; ar: string } {
  const parts = [prefix, kind, pattern].filter((part) => part !== null).join(' ');
  return parts === '' ? { en: 'any number', ar: 'أي رقم' } : { en: parts, ar: parts };
}
