import type { Queryable } from '../../data/database.js';
import { UNASSIGNED, type Inventory } from '../../data/repositories/numbers/inventory.js';
import type { Porting, PortingStep } from '../../data/repositories/numbers/porting.js';
import type { PortingRequestRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { portingStatusesBefore, type PortingStatus } from '../../model/number/porting.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Clock } from '../../ports/clock.js';
import { newNumberRow, type NumberAssigner } from '../numbers/number-assigner.js';
import { notToBeHad } from '../numbers/order.js';

export interface PortingStepsOptions {
  readonly porting: Porting;
  readonly inventory: Inventory;
  readonly assigner: NumberAssigner;
  readonly clock: Clock;
}

type Step = Omit<PortingStep, 'from' | 'at'>;

/** The steps of porting requests, whoever takes them. What becomes of the numbers goes with the step, or neither happens. */
export class PortingSteps {
  constructor(private readonly options: PortingStepsOptions) {}

  /** @throws HatifError PORTING_INVALID_STATE, NUMBER_ALREADY_ASSIGNED, NUMBER_NOT_AVAILABLE */
  submit(request: PortingRequestRow): Promise<PortingRequestRow> {
    const step: Step = {
      to: 'submitted',
      changes: { submitted_at: this.options.clock.now() },
      by: 'customer',
      reason: null,
    };
    return this.#take(request, step, async (tx, _, row) => {
      for (const number of inOrder(row)) await this.#claim(tx, row, number);
    });
  }

  /** The operator looks at it. @throws HatifError PORTING_INVALID_STATE */
  review(request: PortingRequestRow): Promise<PortingRequestRow> {
    return this.#take(request, { to: 'in_review', by: 'operator', reason: null });
  }

  /** The carrier before hands the numbers over then. @throws HatifError PORTING_INVALID_STATE */
  schedule(request: PortingRequestRow, at: Date): Promise<PortingRequestRow> {
    return this.#take(request, { to: 'scheduled', changes: { scheduled_at: at }, by: 'operator', reason: null });
  }

  /** The numbers are here. @throws HatifError PORTING_INVALID_STATE */
  complete(request: PortingRequestRow): Promise<PortingRequestRow> {
    const { assigner, clock } = this.options;
    const step: Step = { to: 'completed', changes: { ended_at: clock.now() }, by: 'operator', reason: null };
    return this.#take(request, step, async (tx, lanes, row) => {
      const owner = { projectId: row.project_id, organizationId: row.organization_id };
      const how = { reason: 'ported here', binding: null, mayBeMain: true };
      for (const e164 of inOrder(row)) {
        if (!(await assigner.assign(tx, lanes, e164, ['porting'], owner, how, {}, row.id))) throw unheld(e164);
      }
    });
  }

  /** Nothing comes of it: the numbers stay where they are. @throws HatifError PORTING_INVALID_STATE */
  end(
    request: PortingRequestRow,
    to: Extract<PortingStatus, 'rejected' | 'cancelled'>,
    by: Step['by'],
    reason: string | null,
  ): Promise<PortingRequestRow> {
    const { inventory, clock } = this.options;
    const at = clock.now();
    return this.#take(request, { to, changes: { ended_at: at, reason }, by, reason }, async (tx, _, row) => {
      for (const e164 of inOrder(row)) {
        const move = { from: ['porting'], to: 'released', changes: UNASSIGNED, reason: `porting ${to}`, at } as const;
        await inventory.move(e164, move, tx, row.id);
      }
    });
  }

  #take(
    request: PortingRequestRow,
    step: Step,
    effect: (tx: Queryable, lanes: string[], row: PortingRequestRow) => Promise<void> = () => Promise.resolve(),
  ): Promise<PortingRequestRow> {
    const { porting, assigner, clock } = this.options;
    return assigner.change(async (tx, lanes) => {
      const from = portingStatusesBefore(step.to);
      const row = await porting.step(request.id, { ...step, from, at: clock.now() }, tx);
      if (!row) {
        const now = await porting.get(null, request.id);
        throw new HatifError('PORTING_INVALID_STATE', { status: now?.status ?? request.status });
      }
      await effect(tx, lanes, row);
      return row;
    });
  }

  /** Nobody else can have the number while it is on its way. */
  async #claim(tx: Queryable, request: PortingRequestRow, e164: string): Promise<void> {
    const { inventory, clock } = this.options;
    const at = clock.now();
    const kind = parseNumber(e164, { allowForeign: true })?.kind;
    if (kind === undefined || kind === 'emergency') throw new HatifError('INVALID_PHONE_NUMBER', { field: 'numbers' });
    const changes = {
      organization_id: request.organization_id,
      project_id: request.project_id,
      source: 'ported',
      provider: null,
      order_id: request.id,
      due_at: null,
    } as const;
    const fresh = newNumberRow({ e164, kind, state: 'porting', ...changes }, at);
    const [added] = await inventory.add([fresh], 'porting', tx);
    if (added) return;
    const move = { from: ['released'], to: 'porting', changes, reason: 'porting', at } as const;
    if (await inventory.move(e164, move, tx)) return;
    throw notToBeHad((await inventory.find(e164, tx)) ?? fresh);
  }
}

/** Always in the same order: two requests at once must not wait for each other. */
function inOrder({ numbers }: PortingRequestRow): readonly string[] {
  return [...numbers].sort();
}

function unheld(e164: string): Error {
  return new Error(`${e164} is not held by its porting request`);
}
