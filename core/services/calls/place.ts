import type { AgentRow, CallRow, LegRow, QueueRow } from '../../data/rows.js';
import type { Destination } from '../../model/call/destinations.js';
import { invalidField } from '../../model/errors/index.js';
import type { PickEngine } from '../engines/pick.js';
import type { DialRoute, Routing } from '../routing/destinations.js';
import { callerIdOf, noEngine, noTrunk, type NewCall, type Placement, type Placer } from './placement.js';
import type { AudioSource, PrepareAudio } from './prepare-audio.js';
import type { ProgramSpec } from '../call-state/program.js';

/** A call to place; numbers are in E.164. */
export interface PlaceRequest extends Omit<NewCall, 'kind' | 'sandbox' | 'engineId' | 'program'> {
  /** What happens after the answer; null waits for API commands. */
  readonly then:
    { readonly connect: Destination } | { readonly play: AudioSource } | { readonly callflowId: string } | null;
}

export interface PlaceCallOptions {
  readonly placement: Placement;
  readonly routing: Routing;
  readonly audio: PrepareAudio;
  readonly agentByExtension: (projectId: string, agent: string) => Promise<AgentRow | null>;
  /** Returns null if the project has no such queue. */
  readonly queue: (projectId: string, queueId: string) => Promise<Pick<QueueRow, 'id'> | null>;
  /** Returns the flow's active version; null if the project has no such active flow. */
  readonly activeFlow: (projectId: string, callflowId: string) => Promise<{ readonly version: number } | null>;
  readonly engines: Pick<PickEngine, 'live'>;
  /** @throws HatifError if the URL is not allowed (the same guard as for any webhook) */
  readonly checkWebhookUrl: (url: string) => void;
}

/**
 * Places outbound calls: checks and stores the call, and notifies the engine's owner. The phone rings after the API's
 * response.
 */
export class PlaceCall {
  constructor(private readonly options: PlaceCallOptions) {}

  /**
   * Changes nothing if it throws.
   * @throws HatifError, in this order: VALIDATION_ERROR, WEBHOOK_URL_INVALID, INVALID_PLAY_URL, those of
   * {@link LegGate.admit}, CALL_FAILED
   */
  async place(request: PlaceRequest, placer: Placer): Promise<{ call: CallRow; legs: readonly LegRow[] }> {
    const { placement, routing, checkWebhookUrl, engines } = this.options;
    const callerIdNumber = callerIdOf(request.callerIdNumber, placer);
    if (request.webhookUrl !== null) checkWebhookUrl(request.webhookUrl);
    const to = { type: 'number', target: request.to } as const;
    const route = await routing.routeTo(placer.projectId, to);
    const leg = { kind: 'outbound', to, route, callerIdNumber, agent: agentOf(request.then) } as const;
    // Before audio is prepared, which takes time; the call is counted after that.
    await placement.admit({ ...leg, isCounted: false }, placer);
    const onward = await this.#onward(request, placer);
    const program = await this.#program(request, placer);
    await placement.admit(leg, placer);
    const engine = await engines.live([route, onward]);
    if (!engine) throw noEngine();
    if (!route) throw noTrunk();
    const { then: _, ...rest } = request;
    const call = await placement.place(
      { ...rest, kind: 'outbound', sandbox: false, engineId: engine.id, callerIdNumber, program },
      placer,
      route,
    );
    return { call, legs: [] };
  }

  /** The route to the party that the customer is connected to. @throws HatifError if it may not be called */
  async #onward({ then }: PlaceRequest, placer: Placer): Promise<DialRoute | null> {
    if (!then || !('connect' in then)) return null;
    const { connect: to } = then;
    const route = await this.options.routing.routeTo(placer.projectId, to);
    const leg = { kind: 'outbound', to, route, field: 'connect.target', isCounted: false } as const;
    if (to.type === 'number' || to.type === 'sip') await this.options.placement.admit(leg, placer);
    return route;
  }

  async #program({ then }: PlaceRequest, { projectId }: Placer): Promise<ProgramSpec> {
    if (then === null) return { type: 'idle' };
    if ('play' in then)
      return {
        type: 'play',
        paths: [await this.options.audio.prepare(then.play, { projectId, sandbox: false }, 'play')],
      };
    if ('callflowId' in then) return this.#flow(then.callflowId, projectId);
    const { connect } = then;
    if (connect.type === 'agent' && !(await this.options.agentByExtension(projectId, connect.target))) {
      throw invalidField('connect.target', {
        en: 'is not an agent of this project',
        ar: 'ليس موظفًا في هذا المشروع',
      });
    }
    if (connect.type === 'queue') {
      const queue = await this.options.queue(projectId, connect.target);
      if (queue) return { type: 'queue', queueId: queue.id };
      throw invalidField('connect.target', {
        en: 'is not a queue of this project',
        ar: 'ليس قائمة انتظار في هذا المشروع',
      });
    }
    return { type: 'connect', to: connect };
  }

  async #flow(callflowId: string, projectId: string): Promise<ProgramSpec> {
    const active = await this.options.activeFlow(projectId, callflowId);
    if (active) return { type: 'callflow', callflowId, version: active.version };
    throw invalidField('callflow_id', {
      en: 'is not an active call flow of this project',
      ar: 'ليس مسار مكالمات مفعّلًا في هذا المشروع',
    });
  }
}

/** The agent that the customer is to be connected with. */
function agentOf(then: PlaceRequest['then']): string | null {
  return then && 'connect' in then && then.connect.type === 'agent' ? then.connect.target : null;
}
