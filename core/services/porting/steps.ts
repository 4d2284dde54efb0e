import type { Queryable } from '../../data/database.js';
import { UNASSIGNED, type Inventory } from '../../data/repositories/numbers/inventory.js';
import type { Porting, PortingStep } from '../../data/repositories/numbers/porting.js';
import type { PortingRequestRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { portingStatusesBefore, type PortingStatus } from '../../model/number/porting.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Clock } from '../../ports/clock.js';
import { newNumberRow, type NumberAssigner } from '../numbers/number-assigner.js';
import { numberTaken } from '../numbers/order.js';

export interface PortingStepsOptions {
  readonly porting: Porting;
  readonly inventory: Inventory;
  readonly assigner: NumberAssigner;
  readonly clock: Clock;
}

type Step = Omit<PortingStep, 'from' | 'at'>;

/**
 * The state transitions of porting requests. Each transition and its effect on the numbers happen in one transaction.
 */
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
    return this.#transition(request, step, async (tx, _, row) => {
      for (const number of sortedNumbers(row)) await this.#claim(tx, row, number);
    });
  }

  /** The operator starts the review. @throws HatifError PORTING_INVALID_STATE */
  review(request: PortingRequestRow): Promise<PortingRequestRow> {
    return this.#transition(request, { to: 'in_review', by: 'operator', reason: null });
  }

  /** Sets the time at which the previous carrier hands over the numbers. @throws HatifError PORTING_INVALID_STATE */
  schedule(request: PortingRequestRow, at: Date): Promise<PortingRequestRow> {
    return this.#transition(request, { to: 'scheduled', changes: { scheduled_at: at }, by: 'operator', reason: null });
  }

  /** Assigns the ported numbers to the project. @throws HatifError PORTING_INVALID_STATE */
  complete(request: PortingRequestRow): Promise<PortingRequestRow> {
    const { assigner, clock } = this.options;
    const step: Step = { to: 'completed', changes: { ended_at: clock.now() }, by: 'operator', reason: null };
    return this.#transition(request, step, async (tx, lanes, row) => {
      const { project_id: projectId, organization_id: organizationId, sandbox } = row;
      const owner = { projectId, organizationId, sandbox };
      const assignment = { reason: 'ported here', binding: null, mayBeMain: true };
      for (const e164 of sortedNumbers(row)) {
        if (!(await assigner.assign(tx, lanes, e164, ['porting'], owner, assignment, {}, row.id))) throw notHeld(e164);
      }
    });
  }

  /** Rejects or cancels the request: the numbers stay with their carrier. @throws HatifError PORTING_INVALID_STATE */
  end(
    request: PortingRequestRow,
    to: Extract<PortingStatus, 'rejected' | 'cancelled'>,
    by: Step['by'],
    reason: string | null,
  ): Promise<PortingRequestRow> {
    const { inventory, clock } = this.options;
    const at = clock.now();
    return this.#transition(request, { to, changes: { ended_at: at, reason }, by, reason }, async (tx, _, row) => {
      for (const e164 of sortedNumbers(row)) {
        const move = { from: ['porting'], to: 'released', changes: UNASSIGNED, reason: `porting ${to}`, at } as const;
        if (row.sandbox) await inventory.moveInSandbox(row.project_id, e164, move, tx);
        else await inventory.move(e164, move, tx, row.id);
      }
    });
  }

  #transition(
    request: PortingRequestRow,
    step: Step,
    effect: (tx: Queryable, lanes: string[], row: PortingRequestRow) => Promise<void> = () => Promise.resolve(),
  ): Promise<PortingRequestRow> {
    const { porting, assigner, clock } = this.options;
    return assigner.change(async (tx, lanes) => {
      const from = portingStatusesBefore(step.to);
      const row = await porting.step(request.id, { ...step, from, at: clock.now() }, tx);
      if (!row) {
        const now = await porting.get({ projectId: request.project_id, sandbox: request.sandbox }, request.id);
        throw new HatifError('PORTING_INVALID_STATE', { status: now?.status ?? request.status });
      }
      await effect(tx, lanes, row);
      return row;
    });
  }

  /** Reserves the number, so that nobody else gets it during porting. */
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
    const { sandbox } = request;
    const fresh = newNumberRow({ e164, kind, state: 'porting', sandbox, ...changes }, at);
    const [added] = await inventory.add([fresh], 'porting', tx);
    if (added) return;
    const move = { from: ['released'], to: 'porting', changes, reason: 'porting', at } as const;
    if (!sandbox && (await inventory.move(e164, move, tx))) return;
    const taken = sandbox ? { e164, state: 'assigned' as const } : await inventory.find(e164, tx);
    throw numberTaken(taken ?? fresh);
  }
}

/** Always in the same order, so that two concurrent requests do not deadlock. */
function sortedNumbers({ numbers }: PortingRequestRow): readonly string[] {
  return [...numbers].sort();
}

function notHeld(e164: string): Error {
  return new Error(`${e164} is not held by its porting request`);
}
