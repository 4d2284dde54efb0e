import type { QueueRow } from '../../core/data/rows.js';
import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { Decision, VisitOutcome } from '../../core/model/queue/types.js';
import type { LegEvent, MediaItem } from '../../core/ports/engine.js';
import type {
  CallControl,
  CallProgram,
  LegView,
  ProgramSignal,
  ProgramSpec,
  Prompts,
} from '../../core/services/call-state/program.js';
import type { QueueCallBridge } from '../../core/services/live-calls/queues/queue-call-bridge.js';
import { NO_QUEUE, NORMAL, QUEUE_TIMEOUT } from '../dialogue/endings.js';
import { ASK_AGAIN_MS, AgentSearch, NO_AGENT_SEARCH, type AgentSearchState } from './agent-search.js';
import { positionAnnouncement } from './queue-announcement.js';

type Signalled = Extract<Decision, { type: 'offer' | 'withdraw' | 'overflow' }>;

interface State extends AgentSearchState {
  readonly [key: string]: unknown;
  readonly phase: 'arriving' | 'waiting' | 'talking';
  /** The leg of the agent who took the call. */
  readonly agentLegId: string | null;
  /** What the caller is played: an announcement, or the queue's own music. */
  readonly playbackId: string | null;
  /** The caller hears the engine's music. */
  readonly isParked: boolean;
  /** The caller knows that the talk will be recorded. */
  readonly isAnnounced: boolean;
}

const ARRIVING: State = {
  ...NO_AGENT_SEARCH,
  phase: 'arriving',
  agentLegId: null,
  playbackId: null,
  isParked: false,
  isAnnounced: false,
};

/** The first announcement comes when the dispatcher has had its say. */
const FIRST_ANNOUNCEMENT_MS = 2_000;
/** The queue's own music begins anew for so many times, and then again. */
const MUSIC_LOOPS = 100;

/** A caller waits with music until an agent of the queue takes the call. */
export class QueueProgram implements CallProgram {
  #state: State;
  readonly #search: AgentSearch;

  constructor(
    private readonly spec: Extract<ProgramSpec, { type: 'queue' }>,
    private readonly callBridge: QueueCallBridge,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? ARRIVING;
    this.#search = new AgentSearch(spec.queueId, callBridge, this.#state, (call, search) =>
      this.#save(call, { ...search }),
    );
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    this.#save(call, {});
    if (customer.status === 'answered') await this.#enter(call, customer);
    else await call.answer(customer.legId);
  }

  async resume(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    const { phase, agentLegId } = this.#state;
    if (!customer || customer.status === 'ended') return this.#gone(call);
    if (phase === 'arriving') return this.start(call);
    if (phase === 'waiting') return this.#goOn(call, customer);
    if (call.queue.legs().find(({ legId }) => legId === agentLegId)?.status === 'ended') await call.end(NORMAL);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    const agent = this.#search.agentOf(event.legId);
    if (event.type === 'leg.answered') {
      if (event.legId === customer.legId && this.#state.phase === 'arriving') await this.#enter(call, customer);
      else if (agent !== null) await this.#answered(call, agent, event.legId);
    } else if (event.type === 'leg.ended') {
      if (event.legId === customer.legId) await this.#gone(call);
      else if (agent !== null) this.#search.failed(call, agent, event.cause.q850);
      else if (event.legId === this.#state.agentLegId) await call.end(NORMAL);
    } else if (event.type === 'play.finished') {
      if (this.#state.phase !== 'waiting' || event.playbackId !== this.#state.playbackId) return;
      this.#save(call, { playbackId: null });
      await this.#entertain(call, customer.legId);
    }
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    if (this.#state.phase !== 'waiting') return;
    if (signal.type === 'taken_away') {
      await this.#gone(call);
      return;
    }
    const customer = call.leg('customer');
    if (!customer || customer.status === 'ended') return;
    if (signal.type === 'queue') await this.#decided(call, customer, signal.decision);
    else if (this.#search.isUnsure) await this.#goOn(call, customer);
    else await this.#announce(call, customer);
  }

  onReplaced(call: CallControl): void {
    if (this.#state.phase !== 'waiting') return;
    this.#search.abandon(call);
    for (const legId of this.#search.legIds) {
      call.queue.dismiss(legId).catch(() => call.note('queue.phone_rings_on'));
    }
  }

  async #enter(call: CallControl, customer: LegView): Promise<void> {
    const queue = await this.#search.queue();
    const { orElse } = this.spec;
    if (!queue) return orElse ? call.continueAs(orElse) : call.end(NO_QUEUE);
    this.#save(call, { phase: 'waiting' });
    this.#search.begin(call, queue);
    const items = await this.#consent(call, queue);
    if (items.length > 0) this.#save(call, { playbackId: await call.play(customer.legId, items) });
    else await this.#entertain(call, customer.legId);
    if (queue.announce_position) call.startTimer(FIRST_ANNOUNCEMENT_MS);
  }

  /** What the caller is told of the recording, and notes that it was. */
  async #consent(call: CallControl, queue: QueueRow): Promise<readonly MediaItem[]> {
    if (!queue.record && !call.queue.isToBeRecorded) return [];
    const items = await this.callBridge.announcement(call.queue.projectId);
    if (items === null) call.note('recording.not_announced');
    else this.#save(call, { isAnnounced: true });
    return items ?? [];
  }

  /** Music, until something happens. */
  async #entertain(call: CallControl, legId: string): Promise<void> {
    const queue = await this.#search.queue();
    const path = queue?.music_path ?? null;
    if (path === null) {
      await call.queue.park(legId);
      this.#save(call, { isParked: true });
    } else {
      this.#save(call, { playbackId: await call.play(legId, [{ type: 'file', path }], MUSIC_LOOPS) });
    }
  }

  async #silence(call: CallControl, legId: string): Promise<void> {
    const { isParked, playbackId } = this.#state;
    this.#save(call, { isParked: false, playbackId: null });
    if (isParked) await call.queue.unpark(legId);
    if (playbackId !== null) await call.stopPlay(playbackId);
  }

  async #announce(call: CallControl, customer: LegView): Promise<void> {
    const queue = await this.#search.queue();
    const standing = this.#search.standing(call);
    call.startTimer((queue?.announce_every_seconds ?? 0) * 1000 || ASK_AGAIN_MS);
    // Who is being told something else already hears the rest of it.
    if (!standing || (!this.#state.isParked && queue?.music_path == null)) return;
    const text = positionAnnouncement(standing);
    const said = await Promise.all([this.prompts.say(text.ar, 'ar'), this.prompts.say(text.en, 'en')]);
    const items = said.filter((item) => item !== null);
    if (items.length === 0) return;
    await this.#silence(call, customer.legId);
    this.#save(call, { playbackId: await call.play(customer.legId, items) });
  }

  async #decided(call: CallControl, customer: LegView, decision: Signalled): Promise<void> {
    if (decision.type === 'overflow') await this.#overflow(call, customer, decision.reason);
    else await this.#search.decided(call, decision);
  }

  async #answered(call: CallControl, agent: string, legId: string): Promise<void> {
    const customer = call.leg('customer');
    if (this.#state.phase !== 'waiting' || customer?.status !== 'answered') {
      return this.#search.dismiss(call, agent, legId);
    }
    this.#save(call, { phase: 'talking', agentLegId: legId });
    await this.#search.take(call, legId);
    await this.#silence(call, customer.legId);
    await call.queue.take(legId, agent);
    this.#search.tellTaken(call, agent, legId);
    if (this.#state.isAnnounced) await call.queue.record(customer.legId);
  }

  /** The caller has left, or was taken elsewhere. */
  async #gone(call: CallControl): Promise<void> {
    const { phase, agentLegId } = this.#state;
    this.#save(call, { phase: 'talking' });
    if (phase === 'waiting') this.#search.abandon(call);
    await this.#search.silence(call);
    const isOver = call.leg('customer')?.status === 'ended';
    if (isOver && agentLegId !== null) await call.hangupLeg(agentLegId, Q850.NORMAL_CLEARING);
  }

  async #overflow(call: CallControl, customer: LegView, outcome: VisitOutcome): Promise<void> {
    const queue = await this.#search.queue();
    call.queue.left(outcome);
    this.#save(call, { phase: 'talking' });
    const onward = this.#notAgain(this.spec.orElse ?? (queue && (await this.callBridge.overflow(queue))), outcome);
    if (!onward) return call.end(QUEUE_TIMEOUT);
    await this.#silence(call, customer.legId);
    await call.continueAs(onward);
  }

  /** Queues that overflow into each other, and are all full, would hand a caller round for ever. */
  #notAgain(onward: ProgramSpec | null, outcome: VisitOutcome): ProgramSpec | null {
    if (onward?.type !== 'queue' || outcome === 'max_wait') return onward;
    const passed = [...(this.spec.passed ?? []), this.spec.queueId];
    return passed.includes(onward.queueId) ? null : { ...onward, passed };
  }

  /** The application was away: brings what the dispatcher decided and what the legs are together. */
  async #goOn(call: CallControl, customer: LegView): Promise<void> {
    const stands = await this.#search.stands(call);
    if (stands === 'unknown') return;
    if (stands && 'agent' in stands) return this.#answered(call, stands.agent, stands.legId);
    if (stands && 'outcome' in stands) return this.#overflow(call, customer, stands.outcome);
    const { playbackId } = this.#state;
    if (playbackId !== null) await call.stopPlay(playbackId);
    if (!this.#state.isParked) await this.#entertain(call, customer.legId);
    if ((await this.#search.queue())?.announce_position === true) call.startTimer(FIRST_ANNOUNCEMENT_MS);
    await this.#search.catchUp(call, stands);
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}
