import type { Account } from '../account/account.js';
import { askToResume, exchange, sendFeedback } from '../account/exchange.js';
import { Expiry } from '../account/expiry.js';
import { AccountStore, tabStorage } from '../account/store.js';
import { lockAccount } from '../account/tab-lock.js';
import { Call } from '../calls/call.js';
import { KeptCalls, takeNearest, type KeptCall } from '../calls/kept-calls.js';
import type { ConnectOptions, DeviceEvents, DeviceOptions, DeviceState } from './options.js';
import { Emitter } from '../base/emitter.js';
import { HatifError, ownError } from '../errors/error.js';
import { AudioDevices } from '../media/audio-devices.js';
import { Sounds } from '../media/sounds.js';
import { runPreflight } from '../preflight/preflight.js';
import type { PreflightOptions, PreflightReport } from '../preflight/report.js';
import type { NewSession } from '../signalling/jssip.js';
import { Line } from '../signalling/line.js';
import { followNetwork } from '../signalling/network.js';
import { addressOf, headersOf } from '../signalling/target.js';

/** How long the first registration may take. */
const REGISTER_MS = 15_000;
/** How long the other sides wait for a page that is loaded again. */
const RETURN_MS = 30_000;

/** A telephone in the browser, for one web calling session. */
export class Device extends Emitter<DeviceEvents> {
  readonly audio: AudioDevices;
  #token: string | null;
  #state: DeviceState = 'new';
  #account: Account | null = null;
  #line: Line | null = null;
  #isOtherNetwork = false;
  /** Why the platform takes this browser no more. */
  #refusal: HatifError | null = null;
  #registering: Promise<void> | null = null;
  #unlock: () => void = () => undefined;
  readonly #calls = new Set<Call>();
  /** Hung up without a connection: the platform hears of it when there is one. */
  readonly #leaving = new Set<Call>();
  readonly #sounds: Sounds;
  readonly #store: AccountStore;
  readonly #kept: KeptCalls;
  /** The calls of the page before it was loaded again, which the platform is asked to bring back. */
  #returning: KeptCall[] = [];
  readonly #expiry: Expiry;
  readonly #endNetwork: () => void;

  /** @param token of a session, from your server; null to continue a session of this tab (see {@link Device.canResume}) */
  constructor(
    token: string | null,
    private readonly options: DeviceOptions = {},
  ) {
    super();
    if (!('RTCPeerConnection' in globalThis)) throw ownError('NOT_SUPPORTED');
    const { noiseSuppression = true, echoCancellation = true, autoGainControl = true } = options;
    this.#token = token;
    this.audio = new AudioDevices({ noiseSuppression, echoCancellation, autoGainControl });
    this.#sounds = new Sounds({
      audio: this.audio,
      ...{ ringtone: options.ringtone ?? true, ringback: options.ringback ?? true },
      onRingtoneBlocked: (isBlocked) => this.emit('ringtoneBlocked', isBlocked),
    });
    this.#store = new AccountStore(options.resume ?? true);
    this.#kept = new KeptCalls(this.#keepsCalls ? tabStorage() : null);
    this.#expiry = new Expiry((options.refreshSeconds ?? 60) * 1_000, (expiresAt) =>
      this.emit('tokenWillExpire', { expiresAt }),
    );
    this.#endNetwork = followNetwork({
      onOther: () => this.#networkChanged(),
      onLeave: () => this.#left(),
    });
  }

  /** Whether this tab has the account of a session that is not over: a page that was loaded again. */
  static canResume(): boolean {
    return new AccountStore(true).find(null) !== null;
  }

  get state(): DeviceState {
    return this.#state;
  }

  /** The calls that are not over, the oldest first. */
  get calls(): readonly Call[] {
    return [...this.#calls];
  }

  /** Who this device is; null before it is registered. */
  get identity(): string | null {
    return this.#account?.identity ?? null;
  }

  /** The end of the session, unless it is refreshed. */
  get expiresAt(): Date | null {
    return this.#account === null ? null : new Date(this.#account.expires_at);
  }

  /**
   * Spends the token and registers. Later interruptions repair themselves.
   * @throws HatifError WCS_*, ORIGIN_NOT_ALLOWED, WEB_CALLING_DISABLED, WEBRTC_PROVISIONING_FAILED, TURN_UNAVAILABLE,
   * UNREACHABLE, REGISTRATION_REFUSED, SESSION_IN_ANOTHER_TAB, DESTROYED
   */
  register(): Promise<void> {
    if (this.#state === 'destroyed') return Promise.reject(ownError('DESTROYED'));
    if (this.#line !== null && this.#registering === null) return Promise.resolve();
    this.#registering ??= this.#begin().finally(() => (this.#registering = null));
    return this.#registering;
  }

  /** Takes no more calls. Calls that are on end. {@link register} comes back with the same account. */
  unregister(): void {
    this.#close(null);
  }

  /** Calls somebody. @throws HatifError NOT_REGISTERED, INVALID_TARGET, MICROPHONE_*, INSECURE_PAGE */
  async connect({ to, variables = {}, stream }: ConnectOptions): Promise<Call> {
    const address = addressOf(to);
    const line = this.#registeredLine();
    const call = this.#newCall('outgoing', { name: null, address: address.slice(4, -4) }, stream ?? null);
    try {
      const mediaStream = await call.openMedia();
      if (call.state === 'ended') return call;
      call.follow(
        line.call(address, {
          mediaStream,
          pcConfig: this.#rtc(),
          extraHeaders: headersOf(variables),
          eventHandlers: {
            peerconnection: ({ peerconnection }: { peerconnection: RTCPeerConnection }) => call.adopt(peerconnection),
          },
        }),
      );
      return call;
    } catch (error) {
      call.abandon();
      throw error instanceof HatifError ? error : ownError('INVALID_TARGET', error);
    }
  }

  /**
   * Uses the token of a refresh of the same session: more time, and new passwords for TURN servers. Audio is not touched.
   * @throws HatifError TOKEN_OF_OTHER_SESSION, UNREACHABLE, WCS_*
   */
  async updateToken(token: string): Promise<void> {
    if (this.#state === 'destroyed') throw ownError('DESTROYED');
    if (this.#account === null) {
      this.#token = token;
      return;
    }
    const account = await this.#exchange(token);
    if (account.sip.username !== this.#account.sip.username) throw ownError('TOKEN_OF_OTHER_SESSION');
    this.#adopt(token, account);
    for (const call of this.#calls) call.useServers(this.#rtc());
    this.emit('changed');
  }

  /** Tests what a call needs, and reports it. Registers the device if it is not. */
  runPreflight(options: PreflightOptions = {}): Promise<PreflightReport> {
    return runPreflight(
      {
        register: () => this.register(),
        servers: () => this.#account?.ice_servers ?? [],
        openInput: (user) => this.audio.takeInput(user),
        closeInput: (user) => this.audio.releaseInput(user),
        connect: (to, stream) => this.connect({ to, stream }),
      },
      options,
    );
  }

  /** Ends all calls, unregisters, and forgets the session in this tab. */
  destroy(): void {
    if (this.#state === 'destroyed') return;
    this.#close(null);
    this.#store.forget();
    this.#endNetwork();
    this.#sounds.close();
    this.audio.close();
    this.#change('destroyed');
  }

  async #begin(): Promise<void> {
    this.#change('registering');
    try {
      const token = this.#token;
      const isFirst = this.#account === null;
      const known = this.#account ?? this.#store.find(token);
      if (known === null && token === null) throw ownError('NOT_REGISTERED');
      const account = known ?? (await this.#exchange(String(token)));
      this.#unlock = await lockAccount(account.sip.username);
      this.#adopt(token, account);
      if (isFirst) this.#returning = this.#kept.of(account.sip.username);
      await this.#register(account);
      if (this.#returning.length > 0) void this.#resumeCalls(account);
    } catch (error) {
      const { code } = error as Partial<HatifError>;
      if (code === 'REGISTRATION_REFUSED') this.#store.forget();
      this.#close(error instanceof HatifError ? error : ownError('UNREACHABLE', error));
      throw error;
    }
  }

  #exchange(token: string): Promise<Account> {
    return exchange({ baseUrl: this.#baseUrl, token, region: this.options.region ?? null });
  }

  #adopt(token: string | null, account: Account): void {
    this.#account = account;
    if (token !== null) {
      this.#token = token;
      this.#store.keep(token, account);
    }
    this.#expiry.set(new Date(account.expires_at));
  }

  /** Resolves at the first registration. */
  #register(account: Account): Promise<void> {
    const line = new Line(account, () => this.#calls.size > 0);
    this.#line = line;
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(ownError('UNREACHABLE')), REGISTER_MS);
      line.on('registered', () => {
        clearTimeout(timer);
        this.#registered();
        resolve();
      });
      line.on('refused', (status) => this.#refused(status, reject));
      line.on('over', (error) => this.#over(error, reject));
      line.on('lost', () => this.#lost());
      line.on('incoming', (session) => this.#incoming(session));
      line.start();
    });
  }

  #registered(): void {
    const isBack = this.#state === 'reconnecting';
    const isOtherNetwork = this.#isOtherNetwork;
    this.#isOtherNetwork = false;
    this.#change('registered');
    this.emit(isBack ? 'reconnected' : 'registered');
    for (const call of [...this.#calls, ...this.#leaving]) call.lineRestored(isOtherNetwork);
    this.#leaving.clear();
  }

  /** Without a status, there was no answer, and the line tries again. */
  #refused(status: number | null, reject: (error: HatifError) => void): void {
    if (status === null || status >= 500) return;
    const error = ownError('REGISTRATION_REFUSED', undefined, status);
    reject(error);
    // During the first registration, the rejection closes the line.
    if (this.#registering !== null) return;
    this.#store.forget();
    this.#refusal = error;
    this.#closeIfOver();
  }

  /** The platform has no such session any more: if only its time is up, calls that are on continue. */
  #over(error: HatifError, reject: (error: HatifError) => void): void {
    this.#store.forget();
    reject(error);
    if (this.#registering !== null) return;
    this.#refusal = error;
    if (error.code === 'WCS_EXPIRED') this.#closeIfOver();
    else this.#close(error);
  }

  /** A session that is over lets its calls end by themselves. */
  #closeIfOver(): void {
    if (this.#refusal !== null && this.#calls.size === 0) this.#close(this.#refusal);
  }

  #lost(): void {
    if (this.#state === 'registered') {
      this.#change('reconnecting');
      this.emit('reconnecting');
    }
    for (const call of this.#calls) call.lineLost();
  }

  #incoming({ session, request }: NewSession): void {
    const { uri, display_name: name } = session.remote_identity;
    const secondsAgo = request.getHeader('X-Hatif-Resumed');
    const kept = secondsAgo === undefined ? null : takeNearest(this.#returning, Number(secondsAgo), Date.now());
    const call = kept
      ? this.#newCall(kept.direction, { name: kept.name, address: kept.address }, null, kept)
      : this.#newCall('incoming', { name: name ?? null, address: uri.user ?? '' }, null);
    session.on('peerconnection', ({ peerconnection }) => call.adopt(peerconnection));
    call.follow(session);
    if (!kept) {
      this.emit('incoming', call);
      return;
    }
    this.emit('resumed', call);
    call.resume().catch((error: unknown) => {
      if (error instanceof HatifError) this.emit('error', error);
    });
  }

  /** What does not ring soon is over. */
  async #resumeCalls({ sip: { username, password } }: Account): Promise<void> {
    const calls = await askToResume(this.#baseUrl, { username, password }).catch((error: unknown) => {
      if (error instanceof HatifError) this.emit('error', error);
      return 0;
    });
    const forget = (): void => {
      this.#returning = [];
      this.#keepCalls();
    };
    if (calls === 0) forget();
    else setTimeout(forget, RETURN_MS);
  }

  #newCall(
    direction: Call['direction'],
    remote: Call['remote'],
    stream: MediaStream | null,
    kept: KeptCall | null = null,
  ): Call {
    const call = new Call({
      ...{ direction, remote, stream, kept, audio: this.audio, sounds: this.#sounds },
      rtc: () => this.#rtc(),
      gatheringMs: this.options.gatheringMs ?? 500,
      isConnected: () => this.#line?.isConnected === true,
      reopenLine: () => this.#line?.reopen(),
      sendFeedback: (body) => sendFeedback(this.#baseUrl, this.#account, body),
      onEnded: () => {
        this.#calls.delete(call);
        if (this.#line?.isConnected !== true) this.#leaving.add(call);
        this.#closeIfOver();
        this.emit('changed');
      },
    });
    this.#calls.add(call);
    call.on('changed', () => this.#keepCalls());
    this.emit('changed');
    return call;
  }

  get #keepsCalls(): boolean {
    const { resume = true, hangUpOnLeave = false } = this.options;
    return resume && !hangUpOnLeave;
  }

  #keepCalls(): void {
    const calls = this.calls.flatMap(({ kept }) => kept ?? []);
    if (this.#account !== null) this.#kept.keep(this.#account.sip.username, [...this.#returning, ...calls]);
  }

  #registeredLine(): Line {
    if (this.#state === 'destroyed') throw ownError('DESTROYED');
    if (this.#line?.isRegistered !== true) throw ownError('NOT_REGISTERED');
    return this.#line;
  }

  #rtc(): RTCConfiguration {
    return {
      iceServers: [...(this.#account?.ice_servers ?? [])],
      ...(this.options.relayOnly === true ? { iceTransportPolicy: 'relay' as const } : {}),
    };
  }

  get #baseUrl(): string {
    return (this.options.baseUrl ?? location.origin).replace(/\/+$/, '');
  }

  #networkChanged(): void {
    this.#isOtherNetwork = true;
    this.#line?.reopen();
  }

  /** The platform keeps the other sides of calls that the next page can continue. */
  #left(): void {
    const isKept = ({ kept }: Call): boolean => this.#keepsCalls && kept !== null;
    for (const call of this.#calls) if (!isKept(call)) call.hangup();
    if (this.#account !== null && this.calls.some(isKept)) this.#line?.leave(this.#account.sip.password);
  }

  #close(error: HatifError | null): void {
    for (const call of this.#calls) call.hangup();
    this.#refusal = null;
    const wasOpen = this.#line !== null || this.#state === 'registering';
    this.#line?.stop();
    this.#line = null;
    this.#expiry.stop();
    this.#unlock();
    this.#unlock = () => undefined;
    if (!wasOpen) return;
    this.#change('unregistered');
    if (error !== null) this.emit('error', error);
    this.emit('unregistered', error);
  }

  #change(state: DeviceState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.emit('changed');
  }
}
