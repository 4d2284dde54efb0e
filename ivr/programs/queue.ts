import { DatabaseUnavailable } from '../../core/data/errors.js';
import type { QueueRow } from '../../core/data/rows.js';
import { outcomeOfUnanswered, Q850 } from '../../core/model/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { Decision, OfferFailure, VisitOutcome } from '../../core/model/queue/types.js';
import type { LegEvent, MediaItem } from '../../core/ports/engine.js';
import type {
  CallControl,
  CallProgram,
  Ending,
  LegView,
  ProgramSignal,
  Prompts,
} from '../../core/services/calls/program.js';
import type { Caller, Place, QueueFloor } from '../../core/services/queues/floor.js';
import { NORMAL } from './endings.js';
import { positionAnnouncement } from './queue-announcement.js';

type Signalled = Extract<Decision, { type: 'offer' | 'withdraw' | 'overflow' }>;

interface State {
  readonly [key: string]: unknown;
  readonly phase: 'arriving' | 'waiting' | 'talking';
  readonly enteredAt: number;
  /** Who is rung: legs by agent. */
  readonly offers: Readonly<Record<string, string>>;
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
  phase: 'arriving',
  enteredAt: 0,
  offers: {},
  agentLegId: null,
  playbackId: null,
  isParked: false,
  isAnnounced: false,
};

/** The first announcement comes when the dispatcher has had its say. */
const FIRST_ANNOUNCEMENT_MS = 2_000;
/** The queue's own music begins anew for so many times, and then again. */
const MUSIC_LOOPS = 100;
/** When the dispatcher could not be asked. */
const ASK_AGAIN_MS = 1_000;

/** Nobody came in time. */
const TIMED_OUT: Ending = { q850: Q850.NO_ANSWER, status: 'timeout', disposition: 'queue_timeout' };
/** There is no such queue (any more). */
const NO_QUEUE: Ending = { q850: Q850.NO_ROUTE_DESTINATION, status: 'failed', disposition: 'failed' };

/**
 * A caller waits with music until an agent of the queue takes the call. Who is rung is decided by the dispatcher; who answers first has the
 * call at once, whether the dispatcher knows of it yet or not.
 */
export class QueueProgram implements CallProgram {
  #state: State;
  /** What the dispatcher decided while the application was away is still to be asked. */
  #isUnsure = false;

  constructor(
    private readonly queueId: string,
    private readonly floor: QueueFloor,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? ARRIVING;
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
    const agent = this.#agentOf(event.legId);
    if (event.type === 'leg.answered') {
      if (event.legId === customer.legId && this.#state.phase === 'arriving') await this.#enter(call, customer);
      else if (agent !== null) await this.#answered(call, agent, event.legId);
    } else if (event.type === 'leg.ended') {
      if (event.legId === customer.legId) await this.#gone(call);
      else if (agent !== null) this.#failed(call, agent, reasonOf(event.cause.q850));
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
    else if (this.#isUnsure) await this.#goOn(call, customer);
    else await this.#announce(call, customer);
  }

  onReplaced(call: CallControl): void {
    if (this.#state.phase !== 'waiting') return;
    call.queue.left('abandoned');
    this.floor.left(this.#caller(call));
    for (const legId of Object.values(this.#state.offers)) {
      call.queue.dismiss(legId).catch(() => call.note('queue.phone_rings_on'));
    }
  }

  async #enter(call: CallControl, customer: LegView): Promise<void> {
    const queue = await this.floor.queue(this.queueId);
    if (!queue) return call.end(NO_QUEUE);
    const enteredAt = this.floor.now;
    this.#save(call, { phase: 'waiting', enteredAt });
    call.queue.entered(queue);
    this.floor.enter(this.#caller(call), queue);
    const items = await this.#consent(call, queue);
    if (items.length > 0) this.#save(call, { playbackId: await call.play(customer.legId, items) });
    else await this.#entertain(call, customer.legId);
    if (queue.announce_position) call.later(FIRST_ANNOUNCEMENT_MS);
  }

  /** What the caller is told of the recording, and notes that it was. */
  async #consent(call: CallControl, queue: QueueRow): Promise<readonly MediaItem[]> {
    if (!queue.record && !call.queue.isToBeRecorded) return [];
    const items = await this.floor.announcement(call.queue.projectId);
    if (items === null) call.note('recording.not_announced');
    else this.#save(call, { isAnnounced: true });
    return items ?? [];
  }

  /** Music, until something happens. */
  async #entertain(call: CallControl, legId: string): Promise<void> {
    const queue = await this.floor.queue(this.queueId);
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
    const queue = await this.floor.queue(this.queueId);
    const standing = this.floor.standing(this.#caller(call));
    call.later((queue?.announce_every_seconds ?? 0) * 1000 || ASK_AGAIN_MS);
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
    switch (decision.type) {
      case 'offer':
        return this.#offer(call, decision.agent, decision.ringSeconds);
      case 'withdraw': {
        const legId = this.#state.offers[decision.agent];
        this.#forget(call, decision.agent);
        if (legId !== undefined) await call.queue.dismiss(legId);
        return;
      }
      case 'overflow':
        return this.#overflow(call, customer, decision.reason);
    }
  }

  async #offer(call: CallControl, agent: string, ringSeconds: number): Promise<void> {
    if (this.#state.offers[agent] !== undefined) return;
    const legId = newId();
    // Written down with the leg: who takes over here knows whose it is.
    this.#save(call, { offers: { ...this.#state.offers, [agent]: legId } });
    const refused = await call.queue.offer(legId, agent, ringSeconds);
    if (refused !== null) this.#failed(call, agent, reasonOf(refused));
  }

  #failed(call: CallControl, agent: string, reason: OfferFailure): void {
    this.#forget(call, agent);
    this.floor.refused(this.#caller(call), agent, reason);
  }

  async #answered(call: CallControl, agent: string, legId: string): Promise<void> {
    const customer = call.leg('customer');
    if (this.#state.phase !== 'waiting' || customer?.status !== 'answered') {
      this.#forget(call, agent);
      await call.queue.dismiss(legId);
      return;
    }
    const others = Object.values(this.#state.offers).filter((other) => other !== legId);
    this.#save(call, { phase: 'talking', agentLegId: legId, offers: {} });
    for (const other of others) await call.queue.dismiss(other);
    await this.#silence(call, customer.legId);
    await call.queue.take(legId, agent);
    call.queue.left('answered', agent);
    this.floor.answered(this.#caller(call), agent, legId);
    if (this.#state.isAnnounced) await call.queue.record(customer.legId);
  }

  /** The caller has left, or was taken elsewhere. */
  async #gone(call: CallControl): Promise<void> {
    const { phase, offers, agentLegId } = this.#state;
    this.#save(call, { phase: 'talking', offers: {} });
    if (phase === 'waiting') {
      call.queue.left('abandoned');
      this.floor.left(this.#caller(call));
    }
    for (const legId of Object.values(offers)) await call.queue.dismiss(legId);
    const isOver = call.leg('customer')?.status === 'ended';
    if (isOver && agentLegId !== null) await call.hangupLeg(agentLegId, Q850.NORMAL_CLEARING);
  }

  async #overflow(call: CallControl, customer: LegView, outcome: VisitOutcome): Promise<void> {
    const queue = await this.floor.queue(this.queueId);
    call.queue.left(outcome);
    const { type, target } = queue?.overflow ?? { type: 'hangup', target: null };
    this.#save(call, { phase: 'talking' });
    if (target === null || (type !== 'queue' && type !== 'number')) {
      await call.end(TIMED_OUT);
      return;
    }
    await this.#silence(call, customer.legId);
    await call.goOnAs(type === 'queue' ? { type, queueId: target } : { type: 'connect', to: { type, target } });
  }

  /** The application was away: brings what the dispatcher decided and what the legs are together. */
  async #goOn(call: CallControl, customer: LegView): Promise<void> {
    const caller = this.#caller(call);
    for (const [agent, offered] of Object.entries(this.#state.offers)) {
      const leg = call.queue.legs().find(({ legId }) => legId === offered);
      if (leg?.status === 'answered') return this.#answered(call, agent, offered);
      if (!leg || leg.status === 'ended')
        this.#failed(call, agent, reasonOf(leg?.hangupQ850 ?? Q850.NO_ROUTE_DESTINATION));
    }
    const place = await this.#place(caller);
    if (place === 'unknown') {
      call.later(ASK_AGAIN_MS);
      return;
    }
    const queue = await this.floor.queue(this.queueId);
    if (place && 'outcome' in place) return this.#overflow(call, customer, place.outcome);
    if (!place && queue) this.floor.enter(caller, queue);
    const { playbackId } = this.#state;
    if (playbackId !== null) await call.stopPlay(playbackId);
    if (!this.#state.isParked) await this.#entertain(call, customer.legId);
    if (queue?.announce_position === true) call.later(FIRST_ANNOUNCEMENT_MS);
    const offered = place?.entry.agents ?? [];
    for (const agent of Object.keys(this.#state.offers)) {
      if (!offered.includes(agent))
        await this.#decided(call, customer, { type: 'withdraw', callId: call.callId, agent });
    }
    for (const agent of offered) await this.#offer(call, agent, queue?.ring_timeout_seconds ?? 0);
  }

  /** @returns `unknown` while the dispatcher cannot be asked: it is, again, later */
  async #place(caller: Caller): Promise<Place | 'unknown'> {
    try {
      const place = await this.floor.place(caller, this.queueId, this.#state.enteredAt);
      this.#isUnsure = false;
      return place;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.#isUnsure = true;
      return 'unknown';
    }
  }

  #caller(call: CallControl): Caller {
    return { projectId: call.queue.projectId, callId: call.callId };
  }

  #agentOf(legId: string): string | null {
    return Object.entries(this.#state.offers).find(([, offered]) => offered === legId)?.[0] ?? null;
  }

  #forget(call: CallControl, agent: string): void {
    const { [agent]: _, ...offers } = this.#state.offers;
    this.#save(call, { offers });
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}

/** Why a phone was not answered, by the cause of its end. */
function reasonOf(q850: number): OfferFailure {
  const { disposition } = outcomeOfUnanswered(q850);
  if (disposition === 'busy' || disposition === 'rejected') return 'rejected';
  return disposition === 'no_answer' ? 'no_answer' : 'unreachable';
}
