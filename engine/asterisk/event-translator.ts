import { isEdgeHeader } from '../../core/model/edge-mark.js';
import { hangupCause, type HangupCause, Q850 } from '../../core/model/call/hangup-cause.js';
import type { MediaQuality } from '../../core/model/call/quality.js';
import type { CallerId } from '../../core/model/call/caller-id.js';
import type { EngineEvent, LegEvent } from '../../core/ports/engine-events.js';
import type { AriChannel, AriEvent } from './ari/ari-types.js';
import type { Arrivals } from './arrivals.js';
import { causeOfRequestedHangup } from './requested-cause.js';
import { isInbound, type RegisteredLeg, type LegRegistry } from './leg-registry.js';
import { callingLegOf, isInside, isLegChannel, legIdOf } from './leg-id.js';
import { trunkOfEndpoint } from './sip/pjsip-objects.js';
import { isSilence } from './bridge-playbacks.js';
import type { PlaybackRegistry } from './playback-registry.js';
import { isTap } from './tap.js';
import { qualityOf } from './rtp-quality.js';

const NO_CAUSE = 0;
/** SIP 487 Request Terminated (RFC 3261 §15.1.2). */
const CANCELLED = 487;
const WITHHELD = new Set(['', 'anonymous', 'unknown', 'unavailable', 'restricted']);

/** Translates ARI events of the call application into port events, each at most once, and the end of a leg exactly once. */
export class EventTranslator {
  /** The engine's own id; set at the first connect. */
  entityId = '';

  constructor(
    private readonly registry: LegRegistry,
    private readonly playbacks: PlaybackRegistry,
    private readonly arrivals: Arrivals,
    private readonly emit: (event: EngineEvent) => void,
    /** Called for each leg that ended with echo, hold or monitoring on: its helper channels and bridges are now orphaned. */
    private readonly onOrphaned: (leg: RegisteredLeg) => void,
  ) {}

  translate(event: AriEvent): void {
    switch (event.type) {
      case 'StasisStart':
        this.#onStasisStart(event);
        break;
      case 'ChannelStateChange':
        this.#onStateChange(event);
        break;
      case 'Dial':
        if (event.dialstatus === 'PROGRESS') this.#emitLegEvent(event, event.peer, { type: 'leg.progress' });
        // The state of a Local channel does not show that it rings.
        else if (event.dialstatus === 'RINGING' && event.peer && isInside(event.peer)) this.#ringing(event, event.peer);
        break;
      case 'ChannelDtmfReceived':
        this.#onDigit(event);
        break;
      case 'ChannelHold':
        this.#emitLegEvent(event, event.channel, { type: 'leg.phone_held' });
        break;
      case 'ChannelUnhold':
        this.#emitLegEvent(event, event.channel, { type: 'leg.phone_resumed' });
        break;
      case 'ChannelTransfer': {
        // An event with a state only repeats the transfer progress that was sent to the phone.
        if (event.state !== undefined) break;
        const { destination = '', protocol_id: other } = event.refer_to?.requested_destination ?? {};
        const { source_channel: source } = event.referred_by ?? {};
        if (other === undefined) {
          this.#emitLegEvent(event, source, { type: 'leg.transfer_requested', dialled: destination });
          break;
        }
        const transferor = this.#legOf(source);
        if (transferor) transferor.attended = true;
        const replaces = this.#legOf(event.refer_to?.destination_channel)?.legId ?? null;
        this.#emitLegEvent(event, source, { type: 'leg.transfer_requested', dialled: null, replaces });
        break;
      }
      case 'PlaybackStarted':
      case 'PlaybackFinished':
        this.#onPlayback(event);
        break;
      case 'ChannelHangupRequest': {
        const leg = this.#legOf(event.channel);
        if (leg) noteHangup(leg, event);
        break;
      }
      case 'StasisEnd':
        this.#onStasisEnd(event);
        break;
      case 'ChannelDestroyed':
        this.#onDestroyed(event);
        break;
      default:
    }
  }

  /** Reports the end of a leg, seen in an event or found missing in a relist. */
  end(leg: RegisteredLeg, cause: HangupCause, at: Date, quality: MediaQuality | null = null): void {
    this.registry.close(leg);
    for (const playbackId of this.playbacks.of(leg.legId)) {
      this.playbacks.finish(playbackId);
      this.emit({ type: 'play.finished', legId: leg.legId, at, playbackId, outcome: 'stopped' });
    }
    if (leg.echo || leg.monitors !== null || leg.held !== null) this.onOrphaned(leg);
    if (leg.pending) return;
    this.emit({ type: 'leg.ended', legId: leg.legId, at, cause, ...(quality && { quality }) });
  }

  #onStasisStart(event: AriEvent): void {
    const { channel, args } = event;
    if (channel) this.arrivals.note(channel.id);
    if (channel && !this.registry.ofChannel(channel.id)) this.#announce(channel, args ?? [], timeOf(event));
  }

  /**
   * Announces a call that entered the application while no process was connected: just as the previous process went
   * away, or (then announced a second time) before it was answered. Otherwise it would ring until the caller gives up.
   */
  announceAgain(channel: AriChannel): void {
    const { app_name: app, app_data: data = '' } = channel.dialplan;
    if (app === 'Stasis') this.#announce(channel, data.split(',').slice(1), new Date(channel.creationtime));
  }

  #announce(channel: AriChannel, args: readonly string[], at: Date): void {
    const [kind, from, dialled, endpoint, headers = ''] = args;
    const source = kind === 'inbound' && isLegChannel(channel) ? sourceOf(channel, from, endpoint) : null;
    if (!source) return;
    const legId = legIdOf(channel, this.entityId);
    if (!this.registry.leg(legId)) this.registry.open(legId, channel.id, { answered: channel.state === 'Up' });
    this.emit({
      type: 'leg.incoming',
      legId,
      at,
      dialled: dialled ?? '',
      source,
      // Asterisk removes hyphens from a number, and a softphone's name may contain some.
      callerId: { ...callerIdOf(channel), ...(source.type === 'softphone' && { number: source.aor }) },
      ...(headers !== '' && { headers: headersIn(headers) }),
    });
  }

  #onStateChange(event: AriEvent): void {
    const leg = this.#legOf(event.channel);
    if (!leg || !event.channel) return;
    if (event.channel.state === 'Ringing') {
      this.#ringing(event, event.channel);
    } else if (event.channel.state === 'Up' && !leg.answered) {
      leg.answered = true;
      this.emit({ type: 'leg.answered', legId: leg.legId, at: timeOf(event) });
    }
  }

  #ringing(event: AriEvent, channel: AriChannel): void {
    const leg = this.#legOf(channel);
    if (!leg || leg.ringing || leg.answered) return;
    leg.ringing = true;
    this.emit({ type: 'leg.ringing', legId: leg.legId, at: timeOf(event) });
  }

  #onDigit(event: AriEvent): void {
    const leg = this.#legOf(event.channel);
    const { digit = '', duration_ms: durationMs = 0 } = event;
    const at = timeOf(event);
    if (!leg || leg.repeatedDigits.isRepeated({ digit, durationMs, at: at.getTime() })) return;
    this.emit({ type: 'leg.dtmf', legId: leg.legId, at, digit, durationMs });
  }

  #onPlayback(event: AriEvent): void {
    const { playback } = event;
    if (!playback || isTap(playback.id) || isSilence(playback.id)) return;
    const [kind, targetId = ''] = playback.target_uri.split(/:(.*)/s);
    const leg = kind === 'channel' ? this.registry.ofChannel(targetId) : undefined;
    if (kind === 'channel' && !leg) return;
    const of = { legId: leg?.legId ?? targetId, at: timeOf(event), playbackId: playback.id };
    if (event.type === 'PlaybackStarted') {
      // When a hangup cuts off a playback, the next queued one starts for a moment, but no one hears it.
      if (leg?.endedHere === true) return;
      if (this.playbacks.start(playback.id)) this.emit({ type: 'play.started', ...of });
      return;
    }
    const known = this.playbacks.finish(playback.id);
    // A hangup makes the leg's playbacks fail; that is no fault of the audio.
    const stopped = known?.stopped === true || leg?.hangingUp === true;
    const outcome = stopped ? 'stopped' : playback.state === 'failed' ? 'failed' : 'completed';
    this.emit({ type: 'play.finished', ...of, outcome });
  }

  /**
   * The end of an inbound leg: its channel returns to the dialplan only to be hung up there, outside the application.
   * No event reports the cause then; it is derived from the side that requested the hangup.
   */
  #onStasisEnd(event: AriEvent): void {
    const leg = this.#legOf(event.channel);
    if (!leg || !isInbound(leg)) return;
    const soft = leg.endedHere ? Q850.NORMAL_UNSPECIFIED : Q850.NORMAL_CLEARING;
    const cause = causeOf(leg.requestedQ850 ?? leg.remoteQ850 ?? soft, null);
    this.end(leg, cause, timeOf(event), qualityOf(event.channel));
  }

  #onDestroyed(event: AriEvent): void {
    const leg = this.#legOf(event.channel);
    if (!leg) return;
    this.arrivals.note(leg.channelId);
    const q850 = event.cause === undefined || event.cause === NO_CAUSE ? Q850.NORMAL_UNSPECIFIED : event.cause;
    // If this side ended the leg, Asterisk invents a status (480 for its own dial timeout).
    const sipCode = leg.endedHere || leg.answered ? null : (event.tech_cause ?? null);
    const cause = causeOf(causeOfRequestedHangup(q850, leg.requestedQ850), sipCode);
    this.end(leg, cause, timeOf(event), qualityOf(event.channel));
  }

  #legOf(channel: AriChannel | undefined): RegisteredLeg | undefined {
    return channel && this.registry.ofChannel(channel.id);
  }

  #emitLegEvent(event: AriEvent, channel: AriChannel | undefined, what: WithoutLeg<LegEvent>): void {
    const leg = this.#legOf(channel);
    if (leg) this.emit({ ...what, legId: leg.legId, at: timeOf(event) });
  }
}

function noteHangup(leg: RegisteredLeg, { soft, cause, tech_cause: status }: AriEvent): void {
  leg.hangingUp = true;
  // With `soft` the number is a kind of hangup, not a cause. A caller's CANCEL arrives as 127 with Asterisk's own 487.
  if (soft === true) leg.endedHere = true;
  else if (cause !== undefined && cause !== NO_CAUSE)
    leg.remoteQ850 = status === CANCELLED ? Q850.NORMAL_CLEARING : cause;
}

type WithoutLeg<Event> = Event extends unknown ? Omit<Event, 'legId' | 'at'> : never;

export function causeOf(q850: number, sipCode: number | null): HangupCause {
  return { q850, sipCode, text: hangupCause(q850).text };
}

type Source = Extract<LegEvent, { type: 'leg.incoming' }>['source'];

function sourceOf({ id }: AriChannel, from: string | undefined, endpoint: string | undefined): Source | null {
  const caller = callingLegOf(id);
  if (caller !== null) return { type: 'inside', legId: caller };
  if (endpoint === undefined) return null;
  const trunkId = from === 'trunk' ? trunkOfEndpoint(endpoint) : null;
  return trunkId === null ? { type: 'softphone', aor: endpoint } : { type: 'trunk', trunkId };
}

/** ARI timestamps look like `2026-01-31T10:00:00.000+0300`. */
function timeOf(event: AriEvent): Date {
  const at = new Date(event.timestamp ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}

function callerIdOf({ caller }: AriChannel): CallerId {
  const number = WITHHELD.has(caller.number.toLowerCase()) ? null : caller.number;
  return { number, name: number === null || caller.name === '' ? null : caller.name };
}

/** The headers of a softphone or browser, from `Name=value&…`. That of the SIP edge is none of them. */
function headersIn(text: string): Record<string, string> {
  const headers = new URLSearchParams(text.replaceAll('+', '%2B'));
  return Object.fromEntries([...headers].filter(([name]) => !isEdgeHeader(name)));
}
