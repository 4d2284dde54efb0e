import type { LegRow } from '../../../data/rows.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import type { Timer } from '../../../ports/clock.js';
import type { CallCommand, CommandOutcome } from '../../../ports/command-bus.js';
import { EngineError } from '../../../ports/engine.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import {
  aorOf,
  AWAY_MS,
  awayBrowsersOf,
  dropAwayBrowser,
  isLegOfAwayBrowser,
  putAwayBrowser,
} from '../../call-state/away-browsers.js';
import type { AwayBrowser, KeptRecording } from '../../call-state/away-browser.js';
import type { CallState } from '../../call-state/call-state.js';
import { newLeg } from '../../call-state/new-leg.js';
import type { LiveCall } from '../call/live-call.js';
import { callerIdFor } from '../call/ringing.js';
import type { LiveCalls } from '../registry/live-calls.js';

type Left = Extract<CallCommand, { type: 'browser_left' }>;
type Back = Extract<CallCommand, { type: 'browser_back' }>;

/** The page answers by itself, unless the person has to allow the microphone again. */
const RING_SECONDS = 20;
/** A page that was loaded while nobody controlled its call registers within this time, or gives up. */
const ADOPTED_MS = 15_000;
const OVER = { q850: Q850.NORMAL_CLEARING, status: 'cancelled', disposition: 'cancelled' } as const;

/**
 * Keeps the places of browsers whose pages were left in the middle of a conversation. The other party hears music; if the
 * page is loaded again, the call rings its browser and connects both, otherwise it ends. Each step commands the engine
 * first and records it afterwards, so that the next owner process repeats it after a crash. Every method runs in the
 * call's turn.
 */
export class BrowserReturns {
  readonly #timers = new Map<string, Timer>();

  constructor(private readonly calls: LiveCalls) {}

  /** The page of a browser was left. Calls in which nobody waits for it end. */
  async left(live: LiveCall, { aor, before }: Pick<Left, 'aor' | 'before'>): Promise<CommandOutcome> {
    const refused = this.#refusal(live);
    if (refused) return refused;
    const legs = live.state.parties.filter(
      (leg) =>
        leg.status === 'answered' &&
        aorOf(leg) === aor &&
        leg.created_at < new Date(before) &&
        !isLegOfAwayBrowser(live.state.row, leg.id),
    );
    for (const leg of legs) await this.#leave(live, leg, aor);
    return { result: legs.length === 0 ? 'leg_not_connected' : 'done' };
  }

  /** The page was loaded again, whether or not anybody reported that it had been left. */
  async back(live: LiveCall, command: Back): Promise<CommandOutcome> {
    const refused = this.#refusal(live);
    if (refused) return refused;
    await this.left(live, command);
    const places = awayBrowsersOf(live.state.row).filter(({ aor }) => aor === command.aor);
    for (const place of places) await this.#ring(live, place, new Date(command.before));
    const isRung = awayBrowsersOf(live.state.row).some(
      ({ aor, returningLegId }) => aor === command.aor && returningLegId !== null,
    );
    return { result: isRung ? 'done' : 'leg_not_connected' };
  }

  /** Another process controlled the call before. While that one was dead, no page could come back. */
  adopted({ state }: LiveCall): void {
    const until = new Date(this.calls.clock.now().getTime() + ADOPTED_MS).toISOString();
    for (const place of awayBrowsersOf(state.row)) if (place.until < until) putAwayBrowser(state, { ...place, until });
  }

  /** @returns whether the event was about a browser that is away, or about those who wait for it */
  async takes(live: LiveCall, event: LegEvent): Promise<boolean> {
    const { row } = live.state;
    if (awayBrowsersOf(row).length === 0) return false;
    if (event.type !== 'leg.ended' && !isLegOfAwayBrowser(row, event.legId)) return false;
    return this.advance(live);
  }

  /**
   * Runs after an event or an outage: does what the states of the legs ask for.
   * @returns false for a call that waits for no browser
   */
  async advance(live: LiveCall): Promise<boolean> {
    const { state } = live;
    if (awayBrowsersOf(state.row).length === 0) return false;
    if (state.isFinal || live.ending !== null) {
      this.#forget(live.callId);
      for (const leg of state.legs) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
      return true;
    }
    if (!hasLostParty(state)) for (const place of awayBrowsersOf(state.row)) await this.#follow(live, place);
    if (hasLostParty(state) || this.#isOverdue(state)) await this.#end(live);
    else this.#watch(live);
    return true;
  }

  /** Cancels all timers. */
  stop(): void {
    for (const callId of [...this.#timers.keys()]) this.#forget(callId);
  }

  #refusal({ state }: LiveCall): CommandOutcome | null {
    if (state.isFinal) return { result: 'not_active' };
    return this.calls.engine.status.status === 'unreachable' ? { result: 'not_controllable' } : null;
  }

  async #leave(live: LiveCall, leg: LegRow, aor: string): Promise<void> {
    const { state } = live;
    if (mayReturn(live, leg) && (await this.#parkOthers(live, leg))) {
      const now = this.calls.clock.now();
      putAwayBrowser(state, {
        ...{ legIds: [leg.id], role: leg.role === 'agent' ? 'agent' : 'customer', aor, returningLegId: null },
        since: firstConnected(leg, now).toISOString(),
        until: new Date(now.getTime() + AWAY_MS).toISOString(),
        muted: leg.muted,
        recording: keptRecording(state, leg),
      });
      live.note('browser.left', { leg: leg.role });
      // From here on, the end of the leg does not end the call.
      await this.calls.commit(live);
      this.#watch(live);
    }
    await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
  }

  /** @returns false if the engine refuses; the call then ends with its browser */
  async #parkOthers(live: LiveCall, { id }: LegRow): Promise<boolean> {
    try {
      for (const other of connected(live.state)) {
        if (other.id !== id && !other.on_hold) await live.park(other.id);
      }
      return true;
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      live.note('browser.not_kept', { kind: error.kind });
      return false;
    }
  }

  /** Unless this page rings already. */
  async #ring(live: LiveCall, before: AwayBrowser, loadedAt: Date): Promise<void> {
    const { state } = live;
    const ringing = state.leg(before.returningLegId ?? '');
    if (ringing && ringing.created_at >= loadedAt) return;
    // A page that was left, too, does not answer.
    const place: AwayBrowser = ringing
      ? { ...before, legIds: [...before.legIds, ringing.id], returningLegId: null }
      : before;
    if (ringing) await live.hangupLeg(ringing.id, Q850.NORMAL_CLEARING);
    const { aor, role } = place;
    const now = this.calls.clock.now();
    const endpoint = {
      ...{ type: 'softphone', aor },
      resumedSeconds: Math.round((now.getTime() - Date.parse(place.since)) / 1_000),
      after: state.legs.findLast((leg) => leg.role === role && aorOf(leg) === aor)?.id,
    };
    const leg = newLeg(live.callId, role, { endpoint, number: null, billable: false }, now);
    putAwayBrowser(state, { ...place, returningLegId: leg.id });
    const refused = await live.ringing.originate(leg, callerIdFor(state.row, leg), RING_SECONDS);
    if (refused !== null) putAwayBrowser(state, place);
  }

  async #follow(live: LiveCall, place: AwayBrowser): Promise<void> {
    const { state } = live;
    for (const legId of place.legIds) await live.hangupLeg(legId, Q850.NORMAL_CLEARING);
    if (place.returningLegId === null) return;
    const leg = state.leg(place.returningLegId);
    const areOthersOver = place.legIds.every((legId) => state.leg(legId)?.status === 'ended');
    if (leg?.status === 'answered' && areOthersOver) await this.#return(live, place, leg);
    else if (!leg || leg.status === 'ended') putAwayBrowser(state, { ...place, returningLegId: null });
  }

  async #return(live: LiveCall, place: AwayBrowser, leg: LegRow): Promise<void> {
    const { state } = live;
    if (place.muted) await live.mute(leg.id, true);
    const isLast = awayBrowsersOf(state.row).length === 1;
    if (isLast) await this.#reunite(live, leg);
    else await live.park(leg.id);
    dropAwayBrowser(state, place);
    live.program.onLegReplaced?.(live, place.legIds[0], leg.id);
    live.note('browser.returned', { leg: leg.role });
    if (place.recording) await this.#record(live, leg, place.recording);
  }

  /** A party that somebody put on hold meanwhile stays there. */
  async #reunite(live: LiveCall, back: LegRow): Promise<void> {
    const legs = connected(live.state);
    for (const { id, on_hold: isHeld } of legs) if (id !== back.id && !isHeld) await live.unpark(id);
    await live.join(legs.map(({ id }) => id));
  }

  async #record(live: LiveCall, { id }: LegRow, kept: KeptRecording): Promise<void> {
    try {
      await live.recordings.start(id, kept.channels, kept.max_seconds, kept.transcribe);
      if (kept.isPaused) await live.recordings.pause(id);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      live.note('recording.refused', { kind: error.kind });
    }
  }

  #isOverdue({ row }: CallState): boolean {
    const now = this.calls.clock.now();
    return awayBrowsersOf(row).some(({ until, returningLegId }) => returningLegId === null && new Date(until) <= now);
  }

  async #end(live: LiveCall): Promise<void> {
    this.#forget(live.callId);
    live.note('browser.gone');
    await live.end(OVER);
  }

  /** Looks again when the time of the first browser is up. One that rings has as long as it rings. */
  #watch({ callId, state }: LiveCall): void {
    this.#forget(callId);
    const { clock, options } = this.calls;
    const [first] = awayBrowsersOf(state.row)
      .filter(({ returningLegId }) => returningLegId === null)
      .map(({ until }) => Date.parse(until))
      .sort((a, b) => a - b);
    if (first === undefined) return;
    const look = async (): Promise<void> => {
      const live = this.calls.get(callId);
      // Without the lease, another process looks.
      if (!live || !options.lease.mayCommand) return;
      await this.advance(live);
      await this.calls.settle(live);
    };
    const waitMs = Math.max(0, first - clock.now().getTime());
    this.#timers.set(
      callId,
      clock.after(waitMs, () => this.calls.run(callId, look)),
    );
  }

  #forget(callId: string): void {
    this.#timers.get(callId)?.cancel();
    this.#timers.delete(callId);
  }
}

/** Only a conversation of two: transfers and conferences decide by themselves about those who leave. */
function mayReturn({ state, status, announcing, ending }: LiveCall, leg: LegRow): boolean {
  if (status !== 'answered' || announcing !== null || ending !== null) return false;
  if (state.transfer || state.conference) return false;
  const other = state.legOf(leg.role === 'customer' ? 'agent' : 'customer');
  if (other === undefined || (leg.role !== 'customer' && leg.role !== 'agent')) return false;
  return other.status === 'answered' || isLegOfAwayBrowser(state.row, other.id);
}

function connected({ parties }: CallState): readonly LegRow[] {
  return parties.filter(({ status }) => status === 'answered');
}

/** Whether a party that is not away has ended. */
function hasLostParty(state: CallState): boolean {
  const away = awayBrowsersOf(state.row);
  if (away.length === 0) return false;
  return (['customer', 'agent'] as const).some(
    (role) => !away.some((one) => one.role === role) && state.legOf(role)?.status !== 'answered',
  );
}

/** When the browser was first connected, although its page may have been loaded again before. */
function firstConnected({ answered_at: answeredAt, endpoint }: LegRow, now: Date): Date {
  const { resumedSeconds = 0 } = endpoint as { readonly resumedSeconds?: number };
  return new Date((answeredAt ?? now).getTime() - resumedSeconds * 1_000);
}

function keptRecording(state: CallState, { id }: LegRow): KeptRecording | null {
  const running = state.recordingOf(id);
  if (running?.conference_id !== null) return null;
  const { channels, max_seconds, transcribe, status } = running;
  return { channels, max_seconds, transcribe: transcribe === true, isPaused: status === 'paused' };
}
