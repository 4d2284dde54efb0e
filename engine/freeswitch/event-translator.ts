import type { HangupCause } from '../../core/model/call/hangup-cause.js';
import { isId } from '../../core/model/ids.js';
import type { MediaQuality } from '../../core/model/call/quality.js';
import type { EngineEvent, LegEvent } from '../../core/ports/engine-events.js';
import { callerOf, headersOf, type SourceOf } from './arrival.js';
import { endOf } from './cause.js';
import type { EslEvent } from './esl/esl-connection.js';
import { PLAYBACK_PARAMETER, type FreeswitchMedia } from './freeswitch-media.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { RegisteredLeg, LegRegistry } from './leg-registry.js';
import { isLegChannel, legIdOf } from './leg-id.js';
import { storeReport, qualityOf } from './rtp-quality.js';

/** Reports a phone's transfer request that FreeSWITCH could not carry out itself; with conferences that is always the case. */
export const REFER_FAILED = 'sofia::error';
/** RFC 4733 durations are counted in 8 kHz samples, whatever the codec. */
const DTMF_SAMPLES_PER_MS = 8;
const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

export interface TranslatorHandlers {
  emit(event: EngineEvent): void;
  /** The channel of an originate exists. */
  onCreated(leg: RegisteredLeg): void;
  /** @param event has the variables of the channel */
  onIncoming(leg: RegisteredLeg, event: EslEvent): void;
}

/** Translates FreeSWITCH's events into port events, each at most once, and the end of a leg exactly once. */
export class EventTranslator {
  /**
   * Calls admitted by an address that matches no known trunk (yet), or of a softphone at the SIP edge that is not known
   * (yet). FreeSWITCH ends them if no process identifies them.
   */
  readonly #unidentified = new Map<string, EslEvent>();

  constructor(
    private readonly registry: LegRegistry,
    private readonly media: FreeswitchMedia,
    private readonly awaitedEvents: AwaitedEvents,
    private readonly sourceOf: SourceOf,
    private readonly handlers: TranslatorHandlers,
  ) {}

  translate(event: EslEvent): void {
    const channelId = event['Unique-ID'];
    if (channelId === undefined) {
      if (event['Event-Subclass'] === 'conference::maintenance') this.#conference(event);
      return;
    }
    this.awaitedEvents.note(channelId, event);
    const leg = this.registry.ofChannel(channelId);
    if (leg && event['Answer-State'] === 'hangup') leg.hangingUp = true;
    switch (event['Event-Name']) {
      case 'CHANNEL_ORIGINATE':
        if (leg?.pending === true) this.handlers.onCreated(leg);
        break;
      case 'CHANNEL_PARK':
        if (!leg && event['Call-Direction'] === 'inbound') this.announce(event);
        else if (leg) this.#emitAnswer(leg);
        break;
      case 'CHANNEL_PROGRESS':
        if (leg && !leg.inbound && !leg.ringing && !leg.answered) {
          leg.ringing = true;
          this.#emitLegEvent(leg, event, { type: 'leg.ringing' });
        }
        break;
      case 'CHANNEL_PROGRESS_MEDIA':
        if (leg && !leg.inbound && !leg.answered) this.#emitLegEvent(leg, event, { type: 'leg.progress' });
        break;
      case 'CHANNEL_ANSWER':
        if (leg && !leg.answered) {
          leg.answered = true;
          leg.unreportedAnswer = timeOf(event);
          // An outbound leg is parked a moment later. It would lose commands sent before that.
          if (leg.inbound) this.#emitAnswer(leg);
        }
        break;
      case 'DTMF':
        if (leg) {
          const durationMs = Math.round(Number(event['DTMF-Duration'] ?? 0) / DTMF_SAMPLES_PER_MS);
          this.#emitLegEvent(leg, event, { type: 'leg.dtmf', digit: event['DTMF-Digit'] ?? '', durationMs });
        }
        break;
      case 'CHANNEL_HOLD':
        if (leg) this.#emitLegEvent(leg, event, { type: 'leg.phone_held' });
        break;
      case 'CHANNEL_UNHOLD':
        if (leg) this.#emitLegEvent(leg, event, { type: 'leg.phone_resumed' });
        break;
      case 'CHANNEL_EXECUTE':
        this.#playback(event, (playbackId) => this.media.itemStarted(playbackId, timeOf(event)));
        break;
      case 'CHANNEL_EXECUTE_COMPLETE':
        this.#playback(event, (playbackId) =>
          this.media.itemFinished(playbackId, event['Application-Response'] === 'FILE PLAYED', timeOf(event)),
        );
        break;
      case 'SEND_RTCP_MESSAGE':
      case 'RECV_RTCP_MESSAGE':
        if (leg) storeReport(leg.rtcp, event);
        break;
      case 'CHANNEL_HANGUP_COMPLETE':
        // A channel that is refused at once can end before the event of its creation, which its own thread sends.
        if (leg?.pending === true) this.handlers.onCreated(leg);
        this.awaitedEvents.ended(channelId);
        if (leg) this.end(leg, endOf(leg, event), timeOf(event), qualityOf(leg.rtcp, event));
        break;
      case 'CUSTOM':
        if (event['Event-Subclass'] === 'conference::maintenance') this.#conference(event);
        else if (leg && event['Event-Subclass'] === REFER_FAILED && event['Error-Type'] === 'blind_transfer') {
          this.#emitLegEvent(leg, event, { type: 'leg.transfer_requested', dialled: event['Transfer-Exten'] ?? '' });
        }
        break;
      default:
    }
  }

  /** Reports the end of a leg, seen in an event or found missing in a relist. */
  end(leg: RegisteredLeg, cause: HangupCause, at: Date, quality: MediaQuality | null = null): void {
    this.#emitAnswer(leg);
    this.#unidentified.delete(leg.channelId);
    this.registry.close(leg);
    this.media.targetEnded(leg.legId, at);
    if (leg.pending) return;
    this.handlers.emit({ type: 'leg.ended', legId: leg.legId, at, cause, ...(quality && { quality }) });
  }

  /** Announces a call that waits for the application: when it arrives, and again after a connect. */
  announce(event: EslEvent): void {
    const channelId = event['Unique-ID'] ?? '';
    if (!isLegChannel(event['Channel-Name'] ?? '') || event['Answer-State'] === 'hangup') return;
    const createdUs = Number(event['Caller-Channel-Created-Time'] ?? 0);
    const legId = legIdOf(channelId, Math.floor(createdUs / US_PER_SECOND));
    const createdAt = new Date(createdUs / US_PER_MS);
    // Also without a source: the call may be known from before, when its trunk was.
    const leg = this.registry.leg(legId) ?? this.registry.open(legId, channelId, { inbound: true, createdAt });
    const source = this.sourceOf(event);
    if (!source) {
      this.#unidentified.set(channelId, event);
      return;
    }
    this.#unidentified.delete(channelId);
    this.handlers.onIncoming(leg, event);
    const headers = headersOf(event, source);
    this.handlers.emit({
      type: 'leg.incoming',
      legId,
      at: timeOf(event),
      dialled: event['Caller-Destination-Number'] ?? '',
      source,
      callerId: callerOf(event, source),
      ...(headers && { headers }),
    });
  }

  /** Announces unidentified calls again, after their trunk or softphone was added. */
  announceUnidentified(isMeant: (event: EslEvent) => boolean = () => true): void {
    for (const event of [...this.#unidentified.values()].filter(isMeant)) this.announce(event);
  }

  /** Reports how a leg's state changed during an outage. */
  reportMissedState(leg: RegisteredLeg, state: 'created' | 'dialled' | 'ringing' | 'answered', at: Date): void {
    if (!leg.inbound && state === 'ringing' && !leg.ringing && !leg.answered) {
      leg.ringing = true;
      this.handlers.emit({ type: 'leg.ringing', legId: leg.legId, at });
    } else if (state === 'answered') {
      if (!leg.answered) leg.unreportedAnswer = leg.answeredAt ?? at;
      leg.answered = true;
      this.#emitAnswer(leg);
    }
  }

  #emitAnswer(leg: RegisteredLeg): void {
    const at = leg.unreportedAnswer;
    if (!at) return;
    leg.unreportedAnswer = null;
    this.handlers.emit({ type: 'leg.answered', legId: leg.legId, at });
  }

  #playback(event: EslEvent, act: (playbackId: string) => void): void {
    const playbackId = event['Application-UUID'];
    if (event.Application === 'playback' && playbackId !== undefined && isId(playbackId)) act(playbackId);
  }

  #conference(event: EslEvent): void {
    const playbackId = event[PLAYBACK_PARAMETER] ?? playbackIn(event.File ?? '');
    if (playbackId === undefined) return;
    if (event.Action === 'play-file' && event.Error === undefined) this.media.itemStarted(playbackId, timeOf(event));
    else if (event.Action === 'play-file-done') this.media.itemFinished(playbackId, true, timeOf(event));
  }

  #emitLegEvent(leg: RegisteredLeg, event: EslEvent, what: WithoutLeg<LegEvent>): void {
    this.handlers.emit({ ...what, legId: leg.legId, at: timeOf(event) });
  }
}

type WithoutLeg<Event> = Event extends unknown ? Omit<Event, 'legId' | 'at'> : never;

function playbackIn(file: string): string | undefined {
  return new RegExp(`^\\{${PLAYBACK_PARAMETER}=([0-9a-f-]+)\\}`).exec(file)?.[1];
}

/** Returns the event's time; FreeSWITCH counts in microseconds. */
export function timeOf(event: EslEvent): Date {
  const at = new Date(Number(event['Event-Date-Timestamp'] ?? Number.NaN) / US_PER_MS);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
