import { hangupCause } from '../../core/model/call/hangup-cause.js';
import type { Clock, Timer } from '../../core/ports/clock.js';
import { EngineError, type TransferOutcome } from '../../core/ports/engine.js';
import type { EngineEvent, LegEvent } from '../../core/ports/engine-events.js';

export interface SimulatedPlayback {
  readonly playbackId: string;
  /** Null: plays until it is stopped. */
  readonly durationMs: number | null;
  readonly fails: boolean;
}

export interface SimulatedRecording {
  /** The leg or the bridge that is recorded. */
  readonly targetId: string;
  readonly startedMs: number;
  /** Null while it runs. */
  durationMs: number | null;
}

export interface SimulatedLeg {
  readonly legId: string;
  readonly createdAt: Date;
  ringing: boolean;
  answered: boolean;
  held: boolean;
  muted: boolean;
  echo: boolean;
  /** The leg that it monitors. */
  monitors: { readonly targetLegId: string; readonly whispers: boolean } | null;
  bridgeId: string | null;
  /** DTMF digits that the port sent to its phone. */
  sentDigits: string;
  /** The last transfer outcome that was reported to its phone. */
  transferOutcome: TransferOutcome | null;
  /** The other leg of a call inside: it came in for the number that this one dialled, or the other way round. */
  other: { readonly leg: SimulatedLeg; readonly dialled: boolean } | null;
  readonly timers: Timer[];
  /** What its caller does once the call is answered. */
  onAnswer: (() => void) | null;
}

type WithoutLeg<Event> = Event extends unknown ? Omit<Event, 'legId' | 'at'> : never;

/** The simulated engine's state, and the only place that emits its events. */
export class World {
  readonly legs = new Map<string, SimulatedLeg>();
  readonly bridges = new Set<string>();
  /** The current and queued playbacks of each leg or bridge. */
  readonly queues = new Map<string, SimulatedPlayback[]>();
  readonly recordings = new Map<string, SimulatedRecording>();
  connected = false;
  readonly #missedEnds: string[] = [];
  listener: (event: EngineEvent) => void = () => undefined;

  constructor(readonly clock: Clock) {}

  /** @throws EngineError `unreachable` while disconnected */
  require(): void {
    if (!this.connected) throw new EngineError('unreachable', 'The simulated engine is not connected');
  }

  /** @throws EngineError `no_such_leg` */
  leg(legId: string): SimulatedLeg {
    this.require();
    const leg = this.legs.get(legId);
    if (!leg) throw new EngineError('no_such_leg', `No leg ${legId}`);
    return leg;
  }

  /** @throws EngineError `no_such_leg` */
  bridge(bridgeId: string): void {
    this.require();
    if (!this.bridges.has(bridgeId)) throw new EngineError('no_such_leg', `No bridge ${bridgeId}`);
  }

  open(legId: string): SimulatedLeg {
    if (this.legs.has(legId)) throw new EngineError('rejected', `Leg ${legId} exists`);
    const leg: SimulatedLeg = {
      legId,
      createdAt: this.clock.now(),
      ringing: false,
      answered: false,
      held: false,
      muted: false,
      echo: false,
      monitors: null,
      bridgeId: null,
      sentDigits: '',
      transferOutcome: null,
      other: null,
      timers: [],
      onAnswer: null,
    };
    this.legs.set(legId, leg);
    return leg;
  }

  /** Opens the leg that comes in because `caller` calls inside. */
  comeIn(caller: SimulatedLeg, legId: string): void {
    const leg = this.open(legId);
    leg.other = { leg: caller, dialled: true };
    caller.other = { leg, dialled: false };
  }

  /** Schedules `run` for the leg; it is skipped if the leg has ended by then. */
  later(leg: SimulatedLeg, delayMs: number, run: () => void): Timer {
    const timer = this.clock.after(delayMs, () => {
      if (this.legs.get(leg.legId) === leg) run();
    });
    leg.timers.push(timer);
    return timer;
  }

  ring(leg: SimulatedLeg): void {
    if (leg.ringing || leg.answered) return;
    leg.ringing = true;
    this.emitLegEvent(leg.legId, { type: 'leg.ringing' });
  }

  answer(leg: SimulatedLeg): void {
    if (leg.answered) return;
    leg.answered = true;
    this.emitLegEvent(leg.legId, { type: 'leg.answered' });
    leg.onAnswer?.();
    if (leg.other?.dialled === true) this.answer(leg.other.leg);
  }

  end(leg: SimulatedLeg, q850: number, sipCode: number | null): void {
    if (!this.legs.delete(leg.legId)) return;
    for (const timer of leg.timers) timer.cancel();
    for (const { playbackId } of this.queues.get(leg.legId) ?? []) {
      this.emitLegEvent(leg.legId, { type: 'play.finished', playbackId, outcome: 'stopped' });
    }
    this.queues.delete(leg.legId);
    this.stopRecordingsOf(leg.legId);
    for (const other of this.legs.values()) if (other.monitors?.targetLegId === leg.legId) other.monitors = null;
    this.#emitEnd(leg.legId, q850, sipCode);
    if (leg.other) this.end(leg.other.leg, q850, null);
  }

  /** DTMF digits come from the leg, one after another. */
  press({ legId }: SimulatedLeg, digits: string, durationMs = 100): void {
    for (const digit of digits) this.emitLegEvent(legId, { type: 'leg.dtmf', digit, durationMs });
  }

  /** Does nothing for a finished or unknown recording. */
  stopRecording(recordingId: string): void {
    const recording = this.recordings.get(recordingId);
    if (recording?.durationMs !== null) return;
    recording.durationMs = this.clock.monotonicMs() - recording.startedMs;
    this.emit({ type: 'recording.finished', recordingId, at: this.clock.now() });
  }

  /** Ends the recordings of a leg or bridge that is no more. */
  stopRecordingsOf(targetId: string): void {
    for (const [recordingId, recording] of this.recordings)
      if (recording.targetId === targetId) this.stopRecording(recordingId);
  }

  emitLegEvent(legId: string, what: WithoutLeg<LegEvent>): void {
    this.emit({ ...what, legId, at: this.clock.now() });
  }

  /** Events are delivered through the clock, never inside the command that caused them. While disconnected they are lost. */
  emit(event: EngineEvent): void {
    this.clock.after(0, () => {
      if (this.connected) this.listener(event);
      else if (event.type === 'leg.ended') this.#missedEnds.push(event.legId);
    });
  }

  /** Reports the legs that ended while disconnected, with a cause that claims no more than is known. */
  reportMissedEnds(q850: number): void {
    for (const legId of this.#missedEnds.splice(0)) this.#emitEnd(legId, q850, null);
  }

  #emitEnd(legId: string, q850: number, sipCode: number | null): void {
    this.emitLegEvent(legId, { type: 'leg.ended', cause: { q850, sipCode, text: hangupCause(q850).text } });
  }
}
