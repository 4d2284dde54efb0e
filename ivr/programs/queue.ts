import type { QueueRow } from '../../core/data/rows.js';
import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { Decision, VisitOutcome } from '../../core/model/queue/types.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
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
import { AgentSearch, RETRY_MS, NO_AGENT_SEARCH, type AgentSearchState } from './agent-search.js';
import { withoutLoop } from './overflow.js';
import { positionAnnouncement } from './queue-announcement.js';

type Signalled = Extract<Decision, { type: 'offer' | 'withdraw' | 'overflow' }>;

interface State extends AgentSearchState {
  readonly [key: string]: unknown;
  readonly phase: 'arriving' | 'waiting' | 'talking';
  /** The leg of the agent who answered. */
  readonly agentLegId: string | null;
  /** The playback of an announcement or of the queue's own music. */
  readonly playbackId: string | null;
  /** The caller hears the engine's music. */
  readonly isParked: boolean;
  /** The caller has heard the recording announcement. */
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

/** Leaves the dispatcher time to connect the caller at once or to compute the position. */
const FIRST_ANNOUNCEMENT_MS = 2_000;
/** Repetitions of the queue's own music in one playback; at its end a new playback starts. */
const MUSIC_LOOPS = 100;

/** The caller waits with music until an agent of the queue answers. */
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
    this.#search = new AgentSearch(spec, callBridge, this.#state, (call, search) => this.#save(call, { ...search }));
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
    if (!customer || customer.status === 'ended') return this.#callerLeft(call);
    if (phase === 'arriving') return this.start(call);
    if (phase === 'waiting') return this.#continue(call, customer);
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
      if (event.legId === customer.legId) await this.#callerLeft(call);
      else if (agent !== null) this.#search.failed(call, agent, event.cause.q850);
      else if (event.legId === this.#state.agentLegId) await call.end(NORMAL);
    } else if (event.type === 'play.finished') {
      if (this.#state.phase !== 'waiting' || event.playbackId !== this.#state.playbackId) return;
      this.#save(call, { playbackId: null });
      await this.#startMusic(call, customer.legId);
    }
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    if (this.#state.phase !== 'waiting') return;
    if (signal.type === 'taken_away') {
      await this.#callerLeft(call);
      return;
    }
    const customer = call.leg('customer');
    if (!customer || customer.status === 'ended') return;
    if (signal.type === 'queue') await this.#onDecision(call, customer, signal.decision);
    else if (this.#search.needsRetry) await this.#continue(call, customer);
    else await this.#announce(call, customer);
  }

  onLegReplaced(call: CallControl, replacedLegId: string, legId: string): void {
    if (this.#state.agentLegId === replacedLegId) this.#save(call, { agentLegId: legId });
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
    this.#search.start(call, queue);
    const items = await this.#recordingAnnouncement(call, queue);
    if (items.length > 0) this.#save(call, { playbackId: await call.play(customer.legId, items) });
    else await this.#startMusic(call, customer.legId);
    if (queue.announce_position) call.startTimer(FIRST_ANNOUNCEMENT_MS);
  }

  /** The recording announcement, if the call may be recorded. Saves whether it is played. */
  async #recordingAnnouncement(call: CallControl, queue: QueueRow): Promise<readonly MediaItem[]> {
    if (!queue.record && !call.queue.isToBeRecorded) return [];
    const items = await this.callBridge.announcement(call.queue.projectId);
    if (items === null) call.note('recording.not_announced');
    else this.#save(call, { isAnnounced: true });
    return items ?? [];
  }

  async #startMusic(call: CallControl, legId: string): Promise<void> {
    const queue = await this.#search.queue();
    const path = queue?.music_path ?? null;
    if (path === null) {
      await call.queue.park(legId);
      this.#save(call, { isParked: true });
    } else {
      this.#save(call, { playbackId: await call.play(legId, [{ type: 'file', path }], MUSIC_LOOPS) });
    }
  }

  async #stopMedia(call: CallControl, legId: string): Promise<void> {
    const { isParked, playbackId } = this.#state;
    this.#save(call, { isParked: false, playbackId: null });
    if (isParked) await call.queue.unpark(legId);
    if (playbackId !== null) await call.stopPlay(playbackId);
  }

  async #announce(call: CallControl, customer: LegView): Promise<void> {
    const queue = await this.#search.queue();
    const status = this.#search.waitStatus(call);
    call.startTimer((queue?.announce_every_seconds ?? 0) * 1000 || RETRY_MS);
    // An announcement that is already playing is not interrupted.
    if (!status || (!this.#state.isParked && queue?.music_path == null)) return;
    const text = positionAnnouncement(status);
    const spoken = await Promise.all([this.prompts.say(text.ar, 'ar'), this.prompts.say(text.en, 'en')]);
    const items = spoken.filter((item) => item !== null);
    if (items.length === 0) return;
    await this.#stopMedia(call, customer.legId);
    this.#save(call, { playbackId: await call.play(customer.legId, items) });
  }

  async #onDecision(call: CallControl, customer: LegView, decision: Signalled): Promise<void> {
    if (decision.type === 'overflow') await this.#overflow(call, customer, decision.reason);
    else await this.#search.apply(call, decision);
  }

  async #answered(call: CallControl, agent: string, legId: string): Promise<void> {
    const customer = call.leg('customer');
    if (this.#state.phase !== 'waiting' || customer?.status !== 'answered') {
      return this.#search.dismiss(call, agent, legId);
    }
    this.#save(call, { phase: 'talking', agentLegId: legId });
    await this.#search.accept(call, legId);
    await this.#stopMedia(call, customer.legId);
    await call.queue.take(legId, agent);
    this.#search.reportAnswered(call, agent, legId);
    if (this.#state.isAnnounced) await call.queue.record(customer.legId);
  }

  /** The caller hung up, or another program took the call. */
  async #callerLeft(call: CallControl): Promise<void> {
    const { phase, agentLegId } = this.#state;
    this.#save(call, { phase: 'talking' });
    if (phase === 'waiting') this.#search.abandon(call);
    await this.#search.stopRinging(call);
    const isOver = call.leg('customer')?.status === 'ended';
    if (isOver && agentLegId !== null) await call.hangupLeg(agentLegId, Q850.NORMAL_CLEARING);
  }

  async #overflow(call: CallControl, customer: LegView, outcome: VisitOutcome): Promise<void> {
    const queue = await this.#search.queue();
    call.queue.left(outcome);
    this.#save(call, { phase: 'talking' });
    const onward = this.spec.orElse ?? (queue && (await this.callBridge.overflow(queue)));
    const next = withoutLoop(this.spec, onward, outcome);
    if (!next) return call.end(QUEUE_TIMEOUT);
    await this.#stopMedia(call, customer.legId);
    await call.continueAs(next);
  }

  /** Continues the wait after a restart. */
  async #continue(call: CallControl, customer: LegView): Promise<void> {
    const restored = await this.#search.restore(call);
    if (restored === 'unknown') return;
    if (restored && 'agent' in restored) return this.#answered(call, restored.agent, restored.legId);
    if (restored && 'outcome' in restored) return this.#overflow(call, customer, restored.outcome);
    const { playbackId } = this.#state;
    if (playbackId !== null) await call.stopPlay(playbackId);
    if (!this.#state.isParked) await this.#startMusic(call, customer.legId);
    if ((await this.#search.queue())?.announce_position === true) call.startTimer(FIRST_ANNOUNCEMENT_MS);
    await this.#search.reconcile(call, restored);
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}
