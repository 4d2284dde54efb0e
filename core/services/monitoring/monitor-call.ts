import type { CallRow } from '../../data/rows.js';
import { invalidField, type HatifError } from '../../model/errors/index.js';
import type { MonitorMode } from '../../model/call/monitoring.js';
import { arabic } from '../../model/wording/wording.js';
import type { CallCommand, CommandBus } from '../../ports/command-bus.js';
import { askOwner, errorOf } from '../calls/ask-owner.js';
import type { ActionResult, CallRequester } from '../calls/control.js';
import { assertActive, assertAnswered, findCall, type CallFinder } from '../calls/find-call.js';
import type { Routing } from '../routing/destinations.js';

export interface MonitorCallOptions {
  readonly calls: CallFinder;
  /** Returns the routing for the call's parties. */
  readonly routingOf: (call: Pick<CallRow, 'sandbox'>) => Pick<Routing, 'routeTo'>;
  readonly bus: CommandBus;
}

const MONITORING = { en: 'monitoring', ar: 'الإشراف على المكالمة' };

/**
 * Monitors live calls from any API process: checks the request, and sends the command to the owner of the call's
 * engine.
 */
export class MonitorCall {
  constructor(private readonly options: MonitorCallOptions) {}

  /**
   * Resolves when the supervisor's phone is being rung, or the mode was changed.
   * @throws HatifError CALL_NOT_FOUND, VALIDATION_ERROR (no such agent, or the call's own agent), CALL_NOT_ACTIVE,
   * CALL_NOT_ANSWERED, AGENT_LEG_NOT_CONNECTED, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED (the supervisor's phone is
   * not reachable)
   */
  async start(callId: string, agent: string, mode: MonitorMode, controller: CallRequester): Promise<ActionResult> {
    const call = await findCall(this.options.calls, controller, callId);
    const route = await this.options.routingOf(call).routeTo(call.project_id, { type: 'agent', target: agent });
    if (!route) throw unknown(agent);
    if (call.agent === agent) throw ownCall(agent);
    assertAnswered(call);
    const { requestId, keyId: actor } = controller;
    return this.#ask(call, { type: 'monitor', callId, agent, mode, requestId, actor }, controller);
  }

  /**
   * @param agent null: all supervisors
   * @throws HatifError CALL_NOT_FOUND, CALL_NOT_ACTIVE, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED
   */
  async stop(callId: string, agent: string | null, controller: CallRequester): Promise<ActionResult> {
    const call = await findCall(this.options.calls, controller, callId);
    assertActive(call);
    const { requestId, keyId: actor } = controller;
    return this.#ask(call, { type: 'stop_monitor', callId, agent, requestId, actor }, controller);
  }

  async #ask(
    call: CallRow,
    command: Extract<CallCommand, { type: 'monitor' | 'stop_monitor' }>,
    controller: CallRequester,
  ): Promise<ActionResult> {
    const outcome = await askOwner(this.options.bus, call, command);
    if (outcome.result === 'no_route' && command.type === 'monitor') throw unknown(command.agent);
    if (outcome.result !== 'done') {
      const { status } = await findCall(this.options.calls, controller, call.id);
      throw errorOf(outcome, status, MONITORING);
    }
    const action = command.type === 'monitor' ? 'monitor' : 'monitor_stop';
    return { call_id: call.id, action, status: 'accepted', request_id: controller.requestId };
  }
}

function unknown(agent: string): HatifError {
  return invalidField('agent', { en: `there is no agent ${agent}`, ar: arabic`لا يوجد موظف بالتحويلة ${agent}` });
}

function ownCall(agent: string): HatifError {
  const [en, ar] = [`${agent} is the agent of this call`, arabic`التحويلة ${agent} لموظف هذه المكالمة نفسه`];
  return invalidField('agent', { en, ar });
}
