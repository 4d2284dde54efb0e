import type { CallControl, CallProgram } from '../../core/services/calls/program.js';
import { outcomeOfUnanswered } from '../../core/model/hangup-cause.js';
import type { Destination } from '../../core/model/destinations.js';
import type { LegEvent } from '../../core/ports/engine.js';
import { NO_ANSWER } from './endings.js';

/** How long the other party rings when nothing else is said. */
const RING_SECONDS = 45;

interface State {
  readonly [key: string]: unknown;
  readonly phase: 'ringing' | 'joined';
  readonly agentLegId: string;
  /** The ringback that an already answered customer hears meanwhile. */
  readonly ringback: string | null;
}

/**
 * Ring another party and join it with the customer; whoever hangs up first ends both. An incoming call stays unanswered until the
 * other party answers, so the caller hears the real ringing and pays nothing for a call nobody took.
 */
export class ConnectProgram implements CallProgram {
  #state: State | null;

  constructor(
    private readonly to: Destination,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = state as State | null;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    const dialled = await call.dial('agent', this.to, RING_SECONDS);
    if ('refused' in dialled) {
      await call.end({ ...outcomeOfUnanswered(dialled.refused), q850: dialled.refused });
      return;
    }
    const agentLegId = dialled.legId;
    const ringback =
      customer.status === 'answered' ? await call.play(customer.legId, [{ type: 'tone', tone: 'ringback' }]) : null;
    this.#save(call, { phase: 'ringing', agentLegId, ringback });
  }

  async resume(call: CallControl): Promise<void> {
    const agent = call.leg('agent');
    if (!agent) return this.start(call);
    // A leg that was rung just before the application went, ahead of the note about it, must not be rung a second time.
    const state = this.#state ?? { phase: 'ringing', agentLegId: agent.legId, ringback: null };
    this.#save(call, state);
    if (agent.status === 'ended') await call.end(NO_ANSWER);
    else if (agent.status === 'ringing') await this.#agentRings(call);
    else if (agent.status === 'answered' && state.phase === 'ringing') await this.#agentAnswered(call, state);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const state = this.#state;
    if (state === null) return;
    const customer = call.leg('customer');
    if (event.type === 'leg.ringing' || event.type === 'leg.progress') {
      if (event.legId === state.agentLegId) await this.#agentRings(call);
    } else if (event.type === 'leg.answered') {
      if (event.legId === state.agentLegId) await this.#agentAnswered(call, state);
      else if (call.leg('agent')?.status === 'answered') await this.#join(call, state);
    } else if (event.type === 'leg.ended') {
      if (event.legId === state.agentLegId) {
        await call.end({
          ...outcomeOfUnanswered(event.cause.q850),
          q850: state.phase === 'joined' ? 16 : event.cause.q850,
        });
      } else if (event.legId === customer?.legId) {
        await call.hangupLeg(state.agentLegId, 16);
      }
    }
  }

  /** Only now does a caller who waits for the answer hear that it rings: before, nobody is being rung. */
  async #agentRings(call: CallControl): Promise<void> {
    if (call.leg('customer')?.status === 'ringing') await call.ring();
  }

  async #agentAnswered(call: CallControl, state: State): Promise<void> {
    const customer = call.leg('customer');
    if (!customer || customer.status === 'ended') await call.hangupLeg(state.agentLegId, 16);
    else if (customer.status === 'answered') await this.#join(call, state);
    else await call.answer();
  }

  async #join(call: CallControl, state: State): Promise<void> {
    const customer = call.leg('customer');
    if (!customer || state.phase === 'joined') return;
    if (state.ringback !== null) await call.stopPlay(state.ringback);
    await call.join([customer.legId, state.agentLegId]);
    this.#save(call, { ...state, phase: 'joined', ringback: null });
  }

  #save(call: CallControl, state: State): void {
    this.#state = state;
    call.save(state);
  }
}
