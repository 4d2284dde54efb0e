import type { CallRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { isFinal } from '../../model/call.js';
import { CommandTimeout, type CallCommand, type CommandBus, type CommandOutcome } from '../../ports/command-bus.js';

/** Who asks, for the timeline. */
export interface Controller {
  readonly projectId: string;
  readonly sandbox: boolean;
  readonly requestId: string;
  readonly keyId: string;
}

/** What the API answers to every control action (spec 2.4a). */
export interface ActionResult {
  readonly call_id: string;
  readonly action: string;
  readonly status: 'accepted';
  readonly request_id: string;
}

export interface CallFinder {
  get(scope: { readonly projectId: string; readonly sandboxOnly: boolean }, callId: string): Promise<CallRow | null>;
}

/** Control of live calls from any API process: checks the call's state, sends the command to the owner of its engine. */
export class ControlCall {
  constructor(
    private readonly calls: CallFinder,
    private readonly bus: CommandBus,
  ) {}

  /** Allowed before the answer too; the call is then cancelled. @throws HatifError CALL_NOT_FOUND, CALL_NOT_ACTIVE, … */
  async hangup(callId: string, controller: Controller): Promise<ActionResult> {
    const call = await this.#find(callId, controller);
    if (isFinal(call.status)) throw new HatifError('CALL_NOT_ACTIVE', { status: call.status });
    const { requestId, keyId } = controller;
    await this.#send(call, controller, 'hangup', { type: 'hangup', callId, requestId, actor: keyId });
    return { call_id: callId, action: 'hangup', status: 'accepted', request_id: requestId };
  }

  async #find(callId: string, controller: Controller): Promise<CallRow> {
    const call = await this.calls.get({ projectId: controller.projectId, sandboxOnly: controller.sandbox }, callId);
    if (!call) throw new HatifError('CALL_NOT_FOUND', { call_id: callId });
    return call;
  }

  async #send(call: CallRow, controller: Controller, action: string, command: CallCommand): Promise<void> {
    let outcome: CommandOutcome;
    try {
      outcome = await this.bus.send(call.engine_id, command);
    } catch (error) {
      if (!(error instanceof CommandTimeout)) throw error;
      // Nobody owns the engine at the moment: a process has died and its successor is on the way.
      throw new HatifError('CALL_NOT_CONTROLLABLE', {}, { cause: error });
    }
    switch (outcome.result) {
      case 'done':
        return;
      case 'not_active': {
        const { status } = await this.#find(call.id, controller);
        throw new HatifError('CALL_NOT_ACTIVE', { status });
      }
      case 'not_controllable':
        throw new HatifError('CALL_NOT_CONTROLLABLE');
      case 'engine_refused':
        throw new HatifError('CALL_CONTROL_FAILED', { action }, { cause: outcome });
    }
  }
}
