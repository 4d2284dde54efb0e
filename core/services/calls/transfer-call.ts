import type { CallScope, Calls } from '../../data/repositories/calls.js';
import type { CallRow } from '../../data/rows.js';
import { isFinal } from '../../model/call.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { MAX_TRANSFERS, type TransferTarget, type TransferType } from '../../model/transfer.js';
import type { CallCommand, CommandBus, CommandOutcome } from '../../ports/command-bus.js';
import type { Routing } from '../routing/destinations.js';
import { askOwner } from './ask-owner.js';
import type { Controller } from './control.js';
import { presentTransfer, type TransferObject } from './present-transfer.js';

/** A transfer that the API asks for; numbers are E.164 already. */
export interface TransferRequest {
  readonly type: TransferType;
  readonly to: TransferTarget;
  readonly ringTimeoutSeconds: number;
}

export interface TransferCallOptions {
  readonly calls: Pick<Calls, 'get' | 'transfersOf' | 'transferBegunBy'>;
  /** How the call's parties are reached. */
  readonly routingOf: (call: Pick<CallRow, 'sandbox'>) => Pick<Routing, 'routeTo'>;
  /** @throws HatifError INVALID_PHONE_NUMBER for a number that nobody may be sent to */
  readonly checkDestination: (number: string, field: string) => Promise<void>;
  readonly bus: CommandBus;
}

type Transferring = Extract<CallCommand, { type: 'transfer' | 'finish_transfer' }>;

/** Transfers of live calls from any API process: checks, and sends the command to the owner of the call's engine. */
export class TransferCall {
  constructor(private readonly options: TransferCallOptions) {}

  /**
   * Resolves when the transfer is written down; the target is rung then.
   * @throws HatifError CALL_NOT_FOUND, INVALID_PHONE_NUMBER, TRANSFER_TARGET_INVALID, CALL_NOT_ACTIVE, CALL_NOT_ANSWERED,
   *   AGENT_LEG_NOT_CONNECTED, TRANSFER_IN_PROGRESS, CALL_ALREADY_IN_CONFERENCE, TRANSFER_LIMIT_REACHED, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED
   */
  async start(callId: string, request: TransferRequest, controller: Controller): Promise<TransferObject> {
    const { routingOf, checkDestination } = this.options;
    const { type: transferType, to, ringTimeoutSeconds } = request;
    const call = await this.#find(callId, controller);
    if (to.type === 'number') await checkDestination(to.target, 'to.target');
    if (!(await routingOf(call).routeTo(call.project_id, to))) throw targetInvalid(to);
    if (isFinal(call.status)) throw new HatifError('CALL_NOT_ACTIVE', { status: call.status });
    if (call.status !== 'answered') throw new HatifError('CALL_NOT_ANSWERED', { status: call.status });
    const transferId = newId();
    const { requestId, keyId: actor } = controller;
    const command = { callId, transferId, transferType, to, ringTimeoutSeconds, requestId, actor } as const;
    return this.#ask(call, { type: 'transfer', ...command }, controller, to);
  }

  /**
   * Complete or cancel a transfer; see the state machine in {@link Transfers}.
   * @throws HatifError CALL_NOT_FOUND, NOT_FOUND, CALL_NOT_ACTIVE, AGENT_LEG_NOT_CONNECTED, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED
   */
  async finish(
    callId: string,
    transferId: string,
    how: 'complete' | 'cancel',
    controller: Controller,
  ): Promise<TransferObject> {
    const call = await this.#find(callId, controller);
    await this.#read(callId, transferId);
    if (isFinal(call.status)) throw new HatifError('CALL_NOT_ACTIVE', { status: call.status });
    const { requestId, keyId: actor } = controller;
    return this.#ask(call, { type: 'finish_transfer', callId, transferId, how, requestId, actor }, controller, null);
  }

  /** In the order in which they were begun. @throws HatifError CALL_NOT_FOUND */
  async list(scope: CallScope, callId: string): Promise<TransferObject[]> {
    if (!(await this.options.calls.get(scope, callId))) throw new HatifError('CALL_NOT_FOUND', { call_id: callId });
    return (await this.options.calls.transfersOf([callId])).map(presentTransfer);
  }

  /** The transfer that a request began before its process died, or null when it got no further. */
  async begunBy(projectId: string, keyId: string, requestId: string): Promise<TransferObject | null> {
    const row = await this.options.calls.transferBegunBy(projectId, keyId, requestId);
    return row && presentTransfer(row);
  }

  async #find(callId: string, { projectId, sandbox }: Controller): Promise<CallRow> {
    const call = await this.options.calls.get({ projectId, sandboxOnly: sandbox }, callId);
    if (!call) throw new HatifError('CALL_NOT_FOUND', { call_id: callId });
    return call;
  }

  async #read(callId: string, transferId: string): Promise<TransferObject> {
    const row = (await this.options.calls.transfersOf([callId])).find(({ id }) => id === transferId);
    if (!row) throw unknownTransfer(transferId);
    return presentTransfer(row);
  }

  async #ask(
    call: CallRow,
    command: Transferring,
    controller: Controller,
    to: TransferTarget | null,
  ): Promise<TransferObject> {
    const outcome = await askOwner(this.options.bus, call, command);
    if (outcome.result === 'done') return this.#read(call.id, command.transferId);
    const { status } = await this.#find(call.id, controller);
    throw errorOf(outcome, command, status, to);
  }
}

function errorOf(
  outcome: Exclude<CommandOutcome, { result: 'done' }>,
  command: Transferring,
  status: CallRow['status'],
  to: TransferTarget | null,
): HatifError {
  switch (outcome.result) {
    case 'not_active':
      return new HatifError('CALL_NOT_ACTIVE', { status });
    case 'not_answered':
      return new HatifError('CALL_NOT_ANSWERED', { status });
    case 'leg_not_connected':
      return new HatifError('AGENT_LEG_NOT_CONNECTED');
    case 'transfer_in_progress':
      return new HatifError('TRANSFER_IN_PROGRESS');
    case 'in_conference':
      return new HatifError('CALL_ALREADY_IN_CONFERENCE', { conference_id: outcome.conferenceId });
    case 'transfer_limit':
      return new HatifError('TRANSFER_LIMIT_REACHED', { max: MAX_TRANSFERS });
    case 'no_route':
      return to ? targetInvalid(to) : new HatifError('CALL_NOT_CONTROLLABLE');
    case 'no_transfer':
      return unknownTransfer(command.transferId);
    case 'engine_refused':
      return new HatifError('CALL_CONTROL_FAILED', { action: { en: 'transfer', ar: 'التحويل' } }, { cause: outcome });
    default:
      return new HatifError('CALL_NOT_CONTROLLABLE');
  }
}

function targetInvalid({ target }: TransferTarget): HatifError {
  return new HatifError('TRANSFER_TARGET_INVALID', { target });
}

/** One that ended in another way than asked is none that could be completed or cancelled. */
function unknownTransfer(transferId: string): HatifError {
  const what = { en: `a running transfer ${transferId} of this call`, ar: `تحويل جارٍ ${transferId} لهذه المكالمة` };
  return new HatifError('NOT_FOUND', { what });
}
