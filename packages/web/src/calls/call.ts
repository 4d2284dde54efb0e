import type { CallEvents, CallState, Feedback, Party } from './call-events.js';
import type { KeptCall } from './kept-calls.js';
import { Keys } from './keys.js';
import { Emitter } from '../base/emitter.js';
import { causeNamed, causeOf, type DisconnectCause } from '../errors/causes.js';
import { ownError } from '../errors/error.js';
import type { AudioDevices } from '../media/audio-devices.js';
import { CallMedia } from '../media/call-media.js';
import type { Sounds } from '../media/sounds.js';
import { Monitor } from '../quality/monitor.js';
import type { Sample } from '../quality/sample.js';
import type { Warning } from '../quality/warnings.js';
import { endOf, type SipSession } from '../signalling/jssip.js';
import { Recovery } from '../signalling/recovery.js';
import { addressOf, type Target } from '../signalling/target.js';
import { transferTo } from '../signalling/transfer.js';

/** What a call needs of its device. @internal */
export interface CallOptions {
  readonly direction: 'incoming' | 'outgoing';
  readonly remote: Party;
  readonly audio: AudioDevices;
  readonly sounds: Sounds;
  /** A stream of the page's own, in place of the microphone. */
  readonly stream: MediaStream | null;
  /** A call of the page before it was loaded again; null for a new one. */
  readonly kept: KeptCall | null;
  readonly rtc: () => RTCConfiguration;
  readonly gatheringMs: number;
  readonly isConnected: () => boolean;
  readonly reopenLine: () => void;
  readonly sendFeedback: (body: object) => Promise<void>;
  readonly onEnded: (call: Call) => void;
}

const RETRY_MS = 250;
const RETRIES = 20;

/** One call of a {@link Device}. */
export class Call extends Emitter<CallEvents> {
  readonly direction: 'incoming' | 'outgoing';
  /** Names the call in this page. */
  readonly id: string = crypto.getRandomValues(new Uint32Array(4)).join('-');
  readonly startedAt: Date;
  #state: CallState;
  #connectedAt: Date | null = null;
  #endedAt: Date | null = null;
  #cause: DisconnectCause | null = null;
  #isHeld = false;
  #isRemoteHeld = false;
  #isMuted: boolean;
  #session: SipSession | null = null;
  /** The page was loaded again, and the call is not connected with it yet. */
  #isWaiting: boolean;
  readonly #media: CallMedia;
  readonly #keys = new Keys({ session: () => this.#session, isReady: () => this.#media.takesKeys });
  readonly #monitor: Monitor;
  readonly #recovery: Recovery;

  /** @internal */
  constructor(private readonly options: CallOptions) {
    super();
    const { direction, kept } = options;
    this.direction = direction;
    this.startedAt = new Date(kept?.startedAt ?? Date.now());
    this.#connectedAt = kept && new Date(kept.connectedAt);
    this.#isMuted = kept?.isMuted === true;
    this.#isWaiting = kept !== null;
    this.#state = kept ? 'reconnecting' : direction === 'incoming' ? 'ringing' : 'connecting';
    this.#media = new CallMedia({ ...options, onIce: (state) => this.#recovery.iceChanged(state) });
    this.#recovery = new Recovery({
      ...{ session: () => this.#sip, iceState: () => this.#media.iceState },
      ...{ isConnected: options.isConnected, reopenLine: options.reopenLine },
      onInterrupted: (reason) => this.#interrupted(reason),
      onRestored: () => this.#restored(),
      onLost: (code) => this.#end(causeNamed(code, 'system', null), true),
    });
    this.#monitor = new Monitor({
      connection: () => this.#media.connection,
      surroundings: () => ({ isMuted: this.#isMuted, isHeld: this.#isAnyHeld, ...this.#media.surroundings }),
      isJudged: () => this.#state === 'connected',
      wantsVolume: () => this.hears('volume'),
      onVolume: (volume) => this.emit('volume', volume),
      onSample: (sample) => this.emit('sample', sample),
      onWarning: (warning) => this.#tell(() => this.emit('warning', warning)),
      onCleared: (name) => this.#tell(() => this.emit('warningCleared', name)),
    });
    if (this.#state === 'ringing') options.sounds.ring(this);
  }

  get state(): CallState {
    return this.#state;
  }

  get remote(): Party {
    return this.options.remote;
  }

  get connectedAt(): Date | null {
    return this.#connectedAt;
  }

  get endedAt(): Date | null {
    return this.#endedAt;
  }

  /** Why the call ended; null before. */
  get cause(): DisconnectCause | null {
    return this.#cause;
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  get isRemoteHeld(): boolean {
    return this.#isRemoteHeld;
  }

  /** The warnings that are not over. */
  get warnings(): readonly Warning[] {
    return this.#monitor.warnings;
  }

  /** The quality of the last second; null before the first one. */
  get quality(): Sample | null {
    return this.#monitor.last;
  }

  /** What the other side sends, for pages that show or process it; the package plays it already. */
  get remoteStream(): MediaStream | null {
    return this.#media.remoteStream;
  }

  /** Takes an incoming call. @throws HatifError MICROPHONE_*, INSECURE_PAGE (it then still rings), INVALID_STATE */
  async accept({ stream = null }: { stream?: MediaStream | null } = {}): Promise<void> {
    if (this.direction !== 'incoming' || this.#state !== 'ringing') throw ownError('INVALID_STATE');
    this.#change('connecting');
    this.options.sounds.quiet(this);
    try {
      const mediaStream = await this.#media.open(stream);
      // The caller may have hung up while the person was asked for the microphone.
      if (!this.#isOver) this.#sip.answer({ mediaStream, pcConfig: this.options.rtc() });
    } catch (error) {
      if (!this.#isOver) this.#change('ringing');
      throw error;
    }
  }

  /** Refuses an incoming call. @param isBusy false: the call goes on to ring others, or to voicemail */
  reject({ isBusy = true }: { isBusy?: boolean } = {}): void {
    if (this.direction !== 'incoming' || this.#connectedAt !== null) throw ownError('INVALID_STATE');
    if (!this.#isOver) this.#sip.terminate({ status_code: isBusy ? 486 : 480 });
  }

  /** Ends the call, in any state. Without a connection, the platform hears of it as soon as there is one. */
  hangup(): void {
    if (this.#isOver) return;
    if (this.#session === null || (this.#connectedAt !== null && !this.options.isConnected())) {
      this.#end(causeNamed('hangup', 'local', null), true);
      return;
    }
    this.#sip.terminate(this.#isRingingHere ? { status_code: 486 } : {});
  }

  mute(isOn = true): void {
    if (this.#isOver || isOn === this.#isMuted) return;
    this.#isMuted = isOn;
    if (isOn) this.#session?.mute({ audio: true });
    else this.#session?.unmute({ audio: true });
    this.#tell(() => this.emit('muted', isOn));
  }

  /** Puts the other side on hold, or resumes the call. @throws HatifError INVALID_STATE */
  async hold(isOn = true): Promise<void> {
    if (isOn === this.#isHeld) return;
    await this.#renegotiate((done) => (isOn ? this.#sip.hold({}, done) : this.#sip.unhold({}, done)));
    this.#isHeld = isOn;
    this.#monitor.restart();
    this.#tell(() => this.emit('held', isOn));
  }

  /** Presses keys: `0`-`9`, `*`, `#`, `A`-`D`; a comma is a pause of two seconds. @throws HatifError */
  sendDigits(digits: string): void {
    if (this.#connectedAt === null || this.#isOver) throw ownError('INVALID_STATE');
    this.#keys.press(digits);
  }

  /**
   * Connects the other side with somebody else, and leaves the call when that succeeded.
   * @param to the target; or another call of this device, whose other side is asked already (the operator must allow
   * that)
   * @throws HatifError TRANSFER_FAILED (the call continues), INVALID_TARGET, INVALID_STATE
   */
  async transfer(to: Target | Call): Promise<void> {
    if (this.#state !== 'connected') throw ownError('INVALID_STATE');
    if (!(to instanceof Call)) return transferTo(this.#sip, addressOf(to), null);
    if (to.#state !== 'connected') throw ownError('INVALID_STATE');
    return transferTo(this.#sip, `sip:${to.remote.address}@web`, to.#sip);
  }

  /** Reports how the call was; the project gets it as an event. @throws HatifError FEEDBACK_REFUSED, UNREACHABLE */
  async postFeedback({ score, issue, comment }: Feedback): Promise<void> {
    const { options } = this;
    const quality = this.#monitor.summary;
    await options.sendFeedback({
      score,
      ...(issue === undefined ? {} : { issue }),
      ...(comment === undefined ? {} : { comment }),
      seconds_since_start: Math.round((Date.now() - this.startedAt.getTime()) / 1_000),
      ...(quality === null
        ? {}
        : {
            mos: quality.mos,
            round_trip_ms: quality.roundTripMs,
            jitter_ms: quality.jitterMs,
            loss_percent: quality.lossPercent,
          }),
    });
  }

  /** @internal The connection's events must be followed from the first moment. */
  adopt(connection: RTCPeerConnection): void {
    this.#media.adopt(connection);
  }

  /** @internal The stream that an outgoing call sends. */
  openMedia(): Promise<MediaStream> {
    return this.#media.open(null);
  }

  /** @internal What the page needs to continue the call after it was loaded again; null if it cannot. */
  get kept(): KeptCall | null {
    if (this.#connectedAt === null || this.#isOver) return null;
    const { direction, remote, isMuted } = this;
    const [startedAt, connectedAt] = [this.startedAt.getTime(), this.#connectedAt.getTime()];
    const isHeld = this.#isHeld || (this.#isWaiting && this.options.kept?.isHeld === true);
    return { direction, ...remote, startedAt, connectedAt, isMuted, isHeld };
  }

  /** @internal Takes the platform's call to a page that was loaded again. @throws HatifError MICROPHONE_*, INSECURE_PAGE */
  async resume(): Promise<void> {
    try {
      const mediaStream = await this.#media.open(null);
      // Nobody is heard before the call is muted or on hold again.
      for (const track of mediaStream.getAudioTracks()) track.enabled = !this.#isMuted && !this.options.kept?.isHeld;
      if (!this.#isOver) this.#sip.answer({ mediaStream, pcConfig: this.options.rtc() });
    } catch (error) {
      if (!this.#isOver) this.#sip.terminate({ status_code: 480 });
      throw error;
    }
  }

  /** @internal */
  follow(session: SipSession): void {
    this.#session = session;
    session.on('progress', ({ originator, response }) => {
      if (originator === 'remote') this.#progress(Boolean(response?.body));
    });
    session.on('confirmed', () => this.#connected());
    session.on('hold', ({ originator }) => this.#remoteHold(originator, true));
    session.on('unhold', ({ originator }) => this.#remoteHold(originator, false));
    for (const name of ['ended', 'failed'] as const) {
      session.on(name, (end) => this.#end(causeOf(endOf(end)), false));
    }
    if (this.#isMuted && this.options.kept === null) session.mute({ audio: true });
  }

  /** @internal An outgoing call that never began. */
  abandon(): void {
    this.#end(causeNamed('failed', 'system', null), false);
  }

  /** @internal The WebSocket is gone. */
  lineLost(): void {
    this.#recovery.lineLost();
  }

  /** @internal The browser is registered again. @param isOtherNetwork whether the audio needs other addresses */
  lineRestored(isOtherNetwork: boolean): void {
    this.#recovery.lineRestored(isOtherNetwork);
  }

  /** @internal TURN servers have new passwords: later changes of the connection use them. */
  useServers(configuration: RTCConfiguration): void {
    this.#media.useServers(configuration);
  }

  get #sip(): SipSession {
    if (!this.#session) throw ownError('INVALID_STATE');
    return this.#session;
  }

  get #isOver(): boolean {
    return this.#state === 'ended';
  }

  get #isRingingHere(): boolean {
    return this.direction === 'incoming' && this.#connectedAt === null;
  }

  get #isAnyHeld(): boolean {
    return this.#isHeld || this.#isRemoteHeld;
  }

  #progress(earlyMedia: boolean): void {
    if (this.#isOver || this.#connectedAt !== null) return;
    if (earlyMedia) this.options.sounds.quiet(this);
    else this.options.sounds.ringBack(this);
    this.#state = 'ringing';
    this.#tell(() => this.emit('ringing', { earlyMedia }));
  }

  #connected(): void {
    if ((this.#connectedAt !== null && !this.#isWaiting) || this.#isOver) return;
    const isBack = this.#isWaiting;
    this.#isWaiting = false;
    this.#connectedAt ??= new Date();
    this.options.sounds.quiet(this);
    this.#recovery.start();
    this.#monitor.start();
    this.#state = 'connected';
    if (isBack && this.#isMuted) this.#sip.mute({ audio: true });
    this.#tell(() => this.emit(isBack ? 'reconnected' : 'connected'));
    if (isBack && this.options.kept?.isHeld === true) void this.hold().catch(() => undefined);
  }

  #interrupted(reason: 'media' | 'signalling'): void {
    if (this.#isOver) return;
    this.#state = 'reconnecting';
    this.#tell(() => this.emit('reconnecting', { reason }));
  }

  #restored(): void {
    if (this.#isOver) return;
    this.#monitor.restart();
    this.#state = 'connected';
    this.#tell(() => this.emit('reconnected'));
  }

  #remoteHold(originator: string, isOn: boolean): void {
    if (originator !== 'remote' || this.#isRemoteHeld === isOn) return;
    this.#isRemoteHeld = isOn;
    this.#monitor.restart();
    this.#tell(() => this.emit('remoteHeld', isOn));
  }

  /** @param isOpen the SIP stack still thinks that there is a call, which ends when it can */
  #end(cause: DisconnectCause, isOpen: boolean): void {
    if (this.#isOver) return;
    this.#state = 'ended';
    this.#cause = cause;
    this.#endedAt = new Date();
    this.options.sounds.quiet(this);
    this.#keys.stop();
    this.#monitor.stop();
    this.#media.close();
    this.#recovery.stop(isOpen);
    this.options.onEnded(this);
    this.#tell(() => this.emit('disconnected', cause));
  }

  /** Sends an offer as soon as the one before is answered. */
  async #renegotiate(begin: (done: () => void) => boolean): Promise<void> {
    for (let attempt = 0; attempt < RETRIES; attempt++) {
      if (this.#isOver || this.#session === null || this.#connectedAt === null) break;
      if (this.#state === 'connected' && this.#sip.isReadyToReOffer()) {
        const outcome = await new Promise<boolean>((resolve) => {
          const off = this.once('disconnected', () => resolve(false));
          const isBegun = begin(() => {
            off();
            resolve(true);
          });
          if (!isBegun) {
            off();
            resolve(false);
          }
        });
        if (outcome) return;
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    throw ownError('INVALID_STATE');
  }

  #change(state: CallState): void {
    this.#state = state;
    this.emit('changed');
  }

  #tell(emit: () => void): void {
    emit();
    this.emit('changed');
  }
}
