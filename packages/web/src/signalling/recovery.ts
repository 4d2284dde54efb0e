import type { SipSession } from './jssip.js';

export interface RecoveryOptions {
  readonly session: () => SipSession;
  readonly iceState: () => RTCIceConnectionState;
  readonly isConnected: () => boolean;
  /** Opens the WebSocket again: the old one may be dead. */
  readonly reopenLine: () => void;
  readonly onInterrupted: (reason: 'media' | 'signalling') => void;
  readonly onRestored: () => void;
  /** The call could not be brought back. */
  readonly onLost: (code: 'connection_lost' | 'media_failed') => void;
}

/** An interruption of the audio that is over within this time is none. */
const PATIENCE_MS = 1_000;
/** A request that the platform does not answer within this time was lost with the WebSocket. */
const ANSWER_MS = 4_000;
/** How long a call may be interrupted. */
const GIVE_UP_MS = 60_000;
const BUSY_MS = 250;

/**
 * Brings a call back. After each new registration the call sends a re-INVITE: the engine then knows the new WebSocket, on
 * which the other side's hang-up arrives, and a call that ended meanwhile is refused and ends here, too. If the addresses
 * of the audio changed, the same re-INVITE restarts ICE.
 */
export class Recovery {
  #isOn = false;
  #isInterrupted = false;
  #isLineLost = false;
  #isAsking = false;
  /** Counts re-INVITEs, so that a late answer is not taken for the newest one's. */
  #asked = 0;
  #byeWhenBack = false;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #answer: ReturnType<typeof setTimeout> | undefined;
  #giveUp: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: RecoveryOptions) {}

  /** From the moment when both can speak. */
  start(): void {
    this.#isOn = true;
    const session = this.options.session();
    // JsSIP would end the call; the line comes back, and the call with it.
    session.onTransportError = () => this.lineLost();
    session.onRequestTimeout = () => this.options.reopenLine();
  }

  /** @param byeWhenBack whether the platform still has the call, and hears of its end when the line is back */
  stop(byeWhenBack: boolean): void {
    this.#byeWhenBack = byeWhenBack && this.#isOn;
    this.#isOn = false;
    this.#forgetTimers();
    if (this.#byeWhenBack && this.options.isConnected()) this.#bye();
  }

  lineLost(): void {
    this.#isLineLost = true;
    this.#isAsking = false;
    clearTimeout(this.#answer);
    if (this.#isOn) this.#interrupt('signalling');
  }

  /** @param isOtherNetwork whether the addresses of the audio changed */
  lineRestored(isOtherNetwork: boolean): void {
    this.#isLineLost = false;
    if (this.#byeWhenBack) this.#bye();
    if (this.#isOn) this.#ask(isOtherNetwork);
  }

  iceChanged(state: RTCIceConnectionState): void {
    if (!this.#isOn) return;
    clearTimeout(this.#patience);
    if (state === 'connected' || state === 'completed') this.#settle();
    if (state === 'disconnected') this.#patience = setTimeout(() => this.#mediaLost(), PATIENCE_MS);
    if (state === 'failed') this.#mediaLost();
  }

  #mediaLost(): void {
    if (!this.#isOn) return;
    this.#interrupt('media');
    if (!this.#isLineLost) this.#ask(true);
  }

  #interrupt(reason: 'media' | 'signalling'): void {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    this.#giveUp = setTimeout(() => {
      this.options.onLost(this.#isLineLost ? 'connection_lost' : 'media_failed');
    }, GIVE_UP_MS);
    this.options.onInterrupted(reason);
  }

  #ask(restartsIce: boolean): void {
    if (this.#isAsking || !this.#isOn) return;
    const session = this.options.session();
    if (session.isEnded()) return;
    const rtcOfferConstraints = { iceRestart: restartsIce || !this.#hasMedia };
    const asked = ++this.#asked;
    const isBegun =
      session.isReadyToReOffer() && session.renegotiate({ rtcOfferConstraints }, () => this.#answered(asked));
    clearTimeout(this.#answer);
    this.#isAsking = isBegun;
    // Another offer is on its way, or the answer does not come: the WebSocket may be dead.
    this.#answer = setTimeout(
      () => {
        this.#isAsking = false;
        if (isBegun) this.options.reopenLine();
        else this.#ask(restartsIce);
      },
      isBegun ? ANSWER_MS : BUSY_MS,
    );
  }

  #answered(asked: number): void {
    if (asked !== this.#asked) return;
    this.#isAsking = false;
    clearTimeout(this.#answer);
    this.#settle();
  }

  get #hasMedia(): boolean {
    const state = this.options.iceState();
    return state === 'connected' || state === 'completed';
  }

  /** Both ways are back. */
  #settle(): void {
    if (!this.#isInterrupted || this.#isAsking || this.#isLineLost || !this.#hasMedia) return;
    this.#isInterrupted = false;
    clearTimeout(this.#giveUp);
    this.options.onRestored();
  }

  #bye(): void {
    this.#byeWhenBack = false;
    const session = this.options.session();
    if (!session.isEnded()) session.terminate();
  }

  #forgetTimers(): void {
    for (const timer of [this.#patience, this.#answer, this.#giveUp]) clearTimeout(timer);
  }
}
