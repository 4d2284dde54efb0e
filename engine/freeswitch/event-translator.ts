import type { HangupCause } from '../../core/model/call/hangup-cause.js';
import { isId } from '../../core/model/ids.js';
import type { MediaQuality } from '../../core/model/call/quality.js';
import type { EngineEvent, LegEvent } from '../../core/ports/engine.js';
import { callerOf, type SourceOf } from './arrival.js';
import { endOf } from './cause.js';
import type { EslEvent } from './esl/esl-connection.js';
import { PLAYBACK_PARAMETER, type FreeswitchMedia } from './freeswitch-media.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { RegisteredLeg, LegRegistry } from './leg-registry.js';
import { isLegChannel, legIdOf } from './leg-id.js';
import { noteReport, qualityOf } from './rtp-quality.js';

/** A phone asked to be replaced, and FreeSWITCH found nobody whom it could give to another: with conferences that is always so. */
export const REFER_FAILED = 'sofia::error';
/** RFC 4733 events are counted in samples of 8 kHz, whatever the codec. */
const DTMF_SAMPLES_PER_MS = 8;
const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

export interface TranslatorHandlers {
  emit(event: EngineEvent): void;
  /** An originate's channel came to be. */
  onCreated(leg: RegisteredLeg): void;
  onIncoming(leg: RegisteredLeg): void;
}

/** Turns FreeSWITCH's events into the port's, each at most once, the end of a leg exactly once. */
export class EventTranslator {
  /** Calls that FreeSWITCH let in by an address of which no trunk is known (yet). It ends them when nobody takes them. */
  readonly #strangers = new Map<string, EslEvent>();

  constructor(
    private readonly registry: LegRegistry,
    private readonly media: FreeswitchMedia,
    private readonly happenings: AwaitedEvents,
    private readonly sourceOf: SourceOf,
    private readonly handlers: TranslatorHandlers,
  ) {}

  translate(event: EslEvent): void {
    const channelId = event['Unique-ID'];
    if (channelId === undefined) {
      if (event['Event-Subclass'] === 'conference::maintenance') this.#conference(event);
      return;
    }
    this.happenings.note(channelId, event);
    const leg = this.registry.ofChannel(channelId);
    switch (event['Event-Name']) {
      case 'CHANNEL_CREATE':
        if (leg?.pending === true) this.handlers.onCreated(leg);
        break;
      case 'CHANNEL_PARK':
        if (!leg && event['Call-Direction'] === 'inbound') this.announce(event);
        else if (leg) this.#tellAnswer(leg);
        break;
      case 'CHANNEL_PROGRESS':
        if (leg && !leg.inbound && !leg.ringing && !leg.answered) {
          leg.ringing = true;
          this.#tell(leg, event, { type: 'leg.ringing' });
        }
        break;
      case 'CHANNEL_PROGRESS_MEDIA':
        if (leg && !leg.inbound && !leg.answered) this.#tell(leg, event, { type: 'leg.progress' });
        break;
      case 'CHANNEL_ANSWER':
        if (leg && !leg.answered) {
          leg.answered = true;
          leg.untoldAnswer = timeOf(event);
          // A leg that goes out is parked a moment later; what it is sent before then, it does not carry out.
          if (leg.inbound) this.#tellAnswer(leg);
        }
        break;
      case 'DTMF':
        if (leg) {
          const durationMs = Math.round(Number(event['DTMF-Duration'] ?? 0) / DTMF_SAMPLES_PER_MS);
          this.#tell(leg, event, { type: 'leg.dtmf', digit: event['DTMF-Digit'] ?? '', durationMs });
        }
        break;
      case 'CHANNEL_HOLD':
        if (leg) this.#tell(leg, event, { type: 'leg.phone_held' });
        break;
      case 'CHANNEL_UNHOLD':
        if (leg) this.#tell(leg, event, { type: 'leg.phone_resumed' });
        break;
      case 'CHANNEL_EXECUTE':
        this.#playback(event, (playbackId) => this.media.began(playbackId, timeOf(event)));
        break;
      case 'CHANNEL_EXECUTE_COMPLETE':
        this.#playback(event, (playbackId) =>
          this.media.done(playbackId, event['Application-Response'] === 'FILE PLAYED', timeOf(event)),
        );
        break;
      case 'SEND_RTCP_MESSAGE':
      case 'RECV_RTCP_MESSAGE':
        if (leg) noteReport(leg.reported, event);
        break;
      case 'CHANNEL_HANGUP':
        if (leg) leg.hangingUp = true;
        break;
      case 'CHANNEL_HANGUP_COMPLETE':
        this.happenings.ended(channelId);
        this.#strangers.delete(channelId);
        if (leg) this.end(leg, endOf(leg, event), timeOf(event), qualityOf(leg.reported, event));
        break;
      case 'CUSTOM':
        if (event['Event-Subclass'] === 'conference::maintenance') this.#conference(event);
        else if (leg && event['Event-Subclass'] === REFER_FAILED && event['Error-Type'] === 'blind_transfer') {
          this.#tell(leg, event, { type: 'leg.transfer_requested', dialled: event['Transfer-Exten'] ?? '' });
        }
        break;
      default:
    }
  }

  /** The end of a leg, told from here or from a relist that no longer shows it. */
  end(leg: RegisteredLeg, cause: HangupCause, at: Date, quality: MediaQuality | null = null): void {
    this.#tellAnswer(leg);
    this.registry.close(leg);
    this.media.targetEnded(leg.legId, at);
    if (leg.pending) return;
    this.handlers.emit({ type: 'leg.ended', legId: leg.legId, at, cause, ...(quality && { quality }) });
  }

  /** A call that waits for the application: told when it comes in, and again to an application that starts. */
  announce(event: EslEvent): void {
    const channelId = event['Unique-ID'] ?? '';
    if (!isLegChannel(event['Channel-Name'] ?? '') || event['Answer-State'] === 'hangup') return;
    const source = this.sourceOf(event);
    if (!source) {
      this.#strangers.set(channelId, event);
      return;
    }
    this.#strangers.delete(channelId);
    const createdUs = Number(event['Caller-Channel-Created-Time'] ?? 0);
    const legId = legIdOf(channelId, Math.floor(createdUs / US_PER_SECOND));
    const createdAt = new Date(createdUs / US_PER_MS);
    const leg = this.registry.leg(legId) ?? this.registry.open(legId, channelId, { inbound: true, createdAt });
    this.handlers.onIncoming(leg);
    this.handlers.emit({
      type: 'leg.incoming',
      legId,
      at: timeOf(event),
      dialled: event['Caller-Destination-Number'] ?? '',
      source,
      callerId: callerOf(event, source),
    });
  }

  isStranger(channelId: string): boolean {
    return this.#strangers.has(channelId);
  }

  /** A trunk came to be known: it may be the strangers'. */
  lookAtStrangers(): void {
    for (const event of [...this.#strangers.values()]) this.announce(event);
  }

  /** What a leg became while nobody listened. */
  catchUp(leg: RegisteredLeg, state: 'created' | 'dialled' | 'ringing' | 'answered', at: Date): void {
    if (!leg.inbound && state === 'ringing' && !leg.ringing && !leg.answered) {
      leg.ringing = true;
      this.handlers.emit({ type: 'leg.ringing', legId: leg.legId, at });
    } else if (state === 'answered') {
      if (!leg.answered) leg.untoldAnswer = leg.answeredAt ?? at;
      leg.answered = true;
      this.#tellAnswer(leg);
    }
  }

  #tellAnswer(leg: RegisteredLeg): void {
    const at = leg.untoldAnswer;
    if (!at) return;
    leg.untoldAnswer = null;
    this.handlers.emit({ type: 'leg.answered', legId: leg.legId, at });
  }

  #playback(event: EslEvent, act: (playbackId: string) => void): void {
    const playbackId = event['Application-UUID'];
    if (event.Application === 'playback' && playbackId !== undefined && isId(playbackId)) act(playbackId);
  }

  #conference(event: EslEvent): void {
    const playbackId = event[PLAYBACK_PARAMETER] ?? playbackIn(event.File ?? '');
    if (playbackId === undefined) return;
    if (event.Action === 'play-file' && event.Error === undefined) this.media.began(playbackId, timeOf(event));
    else if (event.Action === 'play-file-done') this.media.done(playbackId, true, timeOf(event));
  }

  #tell(leg: RegisteredLeg, event: EslEvent, what: WithoutLeg<LegEvent>): void {
    this.handlers.emit({ ...what, legId: leg.legId, at: timeOf(event) });
  }
}

type WithoutLeg<Event> = Event extends unknown ? Omit<Event, 'legId' | 'at'> : never;

function playbackIn(file: string): string | undefined {
  return new RegExp(`^\\{${PLAYBACK_PARAMETER}=([0-9a-f-]+)\\}`).exec(file)?.[1];
}

/** Microseconds. */
export function timeOf(event: EslEvent): Date {
  const at = new Date(Number(event['Event-Date-Timestamp'] ?? Number.NaN) / US_PER_MS);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
