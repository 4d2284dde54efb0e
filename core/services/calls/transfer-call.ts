import type { TransferObject } from '../../model/objects/transfer.js';
import type { CallScope, Calls } from '../../data/repositories/calls/calls.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { CallflowRow, CallRow, QueueRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { TransferTarget, TransferType } from '../../model/call/transfer.js';
import { arabic } from '../../model/wording/wording.js';
import type { CallCommand, CommandBus } from '../../ports/command-bus.js';
import type { LegGate } from '../dialling/leg-gate.js';
import type { Routing } from '../routing/destinations.js';
import { askOwner, errorOf } from './ask-owner.js';
import type { CallRequester } from './control.js';
import { assertActive, assertAnswered, findCall } from './find-call.js';
import { takesImmediately } from '../call-state/transfer-step.js';
import { presentTransfer } from '../call-state/presenting/transfer.js';

/** A transfer requested by the API; numbers are in E.164. */
export interface TransferRequest {
  readonly type: TransferType;
  readonly to: TransferTarget;
  readonly ringTimeoutSeconds: number;
}

export interface TransferCallOptions {
  readonly calls: Pick<Calls, 'get' | 'transfersOf' | 'transferStartedBy'>;
  /** Returns the routing for the call's parties. */
  readonly routingOf: (call: Pick<CallRow, 'sandbox'>) => Pick<Routing, 'routeTo'>;
  /** Returns null if the project has no such queue. */
  readonly queue: (projectId: string, queueId: string) => Promise<Pick<QueueRow, 'id'> | null>;
  /** Returns null if the project has no such active flow of this kind. */
  readonly callflow: (of: ProjectKind, callflowId: string) => Promise<Pick<CallflowRow, 'id'> | null>;
  /** Admits every leg that is dialled. */
  readonly gate: Pick<LegGate, 'admit'>;
  readonly bus: CommandBus;
}

const TRANSFER = { en: 'transfer', ar: 'تحويل المكالمة' };

type Transferring = Extract<CallCommand, { type: 'transfer' | 'finish_transfer' }>;

/**
 * Transfers live calls from any API process: checks the request, and sends the command to the owner of the call's
 * engine.
 */
export class TransferCall {
  constructor(private readonly options: TransferCallOptions) {}

  /**
   * Resolves when the transfer is stored; the target is rung after that.
   * @throws HatifError CALL_NOT_FOUND, INVALID_PHONE_NUMBER, LEG_REFUSALS, TRANSFER_TARGET_INVALID, CALL_NOT_ACTIVE,
   * CALL_NOT_ANSWERED, AGENT_LEG_NOT_CONNECTED, TRANSFER_IN_PROGRESS, CALL_ALREADY_IN_CONFERENCE,
   * TRANSFER_LIMIT_REACHED, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED
   */
  async start(callId: string, request: TransferRequest, controller: CallRequester): Promise<TransferObject> {
    const { type: transferType, to, ringTimeoutSeconds } = request;
    const call = await findCall(this.options.calls, controller, callId);
    await this.#assertReachable(call, transferType, to);
    assertAnswered(call);
    const transferId = newId();
    const { requestId, keyId: actor } = controller;
    const command = { callId, transferId, transferType, to, ringTimeoutSeconds, requestId, actor } as const;
    return this.#ask(call, { type: 'transfer', ...command }, controller);
  }

  /**
   * Completes or cancels a transfer.
   * @throws HatifError CALL_NOT_FOUND, NOT_FOUND, CALL_NOT_ACTIVE, AGENT_LEG_NOT_CONNECTED, CALL_NOT_CONTROLLABLE,
   * CALL_CONTROL_FAILED
   */
  async finish(
    callId: string,
    transferId: string,
    how: 'complete' | 'cancel',
    controller: CallRequester,
  ): Promise<TransferObject> {
    const call = await findCall(this.options.calls, controller, callId);
    await this.#read(callId, transferId);
    assertActive(call);
    const { requestId, keyId: actor } = controller;
    return this.#ask(call, { type: 'finish_transfer', callId, transferId, how, requestId, actor }, controller);
  }

  /** Returns the call's transfers, oldest first. @throws HatifError CALL_NOT_FOUND */
  async list(scope: CallScope, callId: string): Promise<TransferObject[]> {
    await findCall(this.options.calls, scope, callId);
    return (await this.options.calls.transfersOf([callId])).map(presentTransfer);
  }

  /** Returns the transfer that a request started before its process died, or null if it started none. */
  async begunBy(projectId: string, keyId: string, requestId: string): Promise<TransferObject | null> {
    const row = await this.options.calls.transferStartedBy(projectId, keyId, requestId);
    return row && presentTransfer(row);
  }

  /** A queue or flow cannot be consulted. A sandbox call goes to flows of the sandbox, and to no queue of real callers. */
  async #assertReachable(call: CallRow, type: TransferType, to: TransferTarget): Promise<void> {
    if (!takesImmediately(to)) return this.#assertAdmitted(call, to);
    if (type !== 'blind' || !(await this.#isKnown(call, to))) throw targetInvalid(to);
  }

  async #isKnown({ project_id: projectId, sandbox }: CallRow, { type, target }: TransferTarget): Promise<boolean> {
    const { queue, callflow } = this.options;
    if (type === 'queue') return !sandbox && (await queue(projectId, target)) !== null;
    return (await callflow({ projectId, sandbox }, target)) !== null;
  }

  /** The gate is passed again when the target is rung. */
  async #assertAdmitted(call: CallRow, to: TransferTarget): Promise<void> {
    const { routingOf, gate } = this.options;
    const { organization_id: organizationId, project_id: projectId, sandbox, kind } = call;
    const route = await routingOf(call).routeTo(projectId, to);
    const leg = { organizationId, projectId, sandbox, kind, to, route, field: 'to.target' } as const;
    try {
      const known = { dialler: null, agent: call.agent, callId: call.id, legId: null, others: null };
      await gate.admit({ ...leg, ...known, isCounted: false });
    } catch (error) {
      const isRefusedAddress = to.type === 'sip' && error instanceof HatifError && error.code === 'VALIDATION_ERROR';
      if (isRefusedAddress) throw targetInvalid(to);
      throw error;
    }
    if (!route) throw targetInvalid(to);
  }

  async #read(callId: string, transferId: string): Promise<TransferObject> {
    const row = (await this.options.calls.transfersOf([callId])).find(({ id }) => id === transferId);
    if (!row) throw unknownTransfer(transferId);
    return presentTransfer(row);
  }

  async #ask(call: CallRow, command: Transferring, controller: CallRequester): Promise<TransferObject> {
    const outcome = await askOwner(this.options.bus, call, command);
    if (outcome.result === 'done') return this.#read(call.id, command.transferId);
    if (outcome.result === 'no_route' && command.type === 'transfer') throw targetInvalid(command.to);
    if (outcome.result === 'no_transfer') throw unknownTransfer(command.transferId);
    const { status } = await findCall(this.options.calls, controller, call.id);
    throw errorOf(outcome, status, TRANSFER);
  }
}

function targetInvalid({ target }: TransferTarget): HatifError {
  return new HatifError('TRANSFER_TARGET_INVALID', { target });
}

/** Also used for a transfer that ended otherwise than requested: it cannot be completed or cancelled any more. */
function unknownTransfer(transferId: string): HatifError {
  const what = {
    en: `a running transfer ${transferId} of this call`,
    ar: arabic`عملية تحويل جارية بالمعرّف ${transferId} لهذه المكالمة`,
  };
  return new HatifError('NOT_FOUND', { what });
}
