import { randomBytes } from 'node:crypto';
import { Q850 } from '../../core/model/call/hangup-cause.js';
import { NO_SIP_SECURITY, type SipSecurity } from '../../core/model/sip-security.js';
import { systemClock, type Clock } from '../../core/ports/clock.js';
import type {
  Bridges,
  Engine,
  EngineCapability,
  EngineSnapshot,
  EngineStatus,
  Mwi,
  Legs,
  Media,
  Monitors,
  Recordings,
  Texts,
} from '../../core/ports/engine.js';
import type { Registrations, Trunks } from '../../core/ports/engine/peers.js';
import type { EngineEvent } from '../../core/ports/engine-events.js';
import type { Logger } from '../../core/ports/logger.js';
import { TRUNK_PROBE_SECONDS } from '../common/trunk-probes.js';
import { AriHttp } from './ari/ari-http.js';
import { Arrivals } from './arrivals.js';
import { REGISTRATION_APP, type AriEvent } from './ari/ari-types.js';
import { AsteriskBridges } from './asterisk-bridges.js';
import { AsteriskEcho, ECHO_PREFIX } from './asterisk-echo.js';
import { AsteriskHolds, heldLegOf } from './asterisk-holds.js';
import { AsteriskMwi } from './asterisk-mwi.js';
import { AsteriskLegs } from './asterisk-legs.js';
import { AsteriskMedia } from './asterisk-media.js';
import { AsteriskMonitors } from './asterisk-monitors.js';
import { AsteriskRecordings } from './asterisk-recordings.js';
import { AsteriskRegistrations } from './asterisk-registrations.js';
import { AsteriskTexts } from './asterisk-texts.js';
import { AsteriskTrunks } from './asterisk-trunks.js';
import { BridgePlaybacks } from './bridge-playbacks.js';
import { EngineLink, type AsteriskInstance } from './ari/engine-link.js';
import { causeOf, EventTranslator } from './event-translator.js';
import { LegRegistry, type RegisteredLeg } from './leg-registry.js';
import { MediaUris } from './media-uri.js';
import { PlaybackRegistry } from './playback-registry.js';
import { healthObjects, type SessionTimers } from './sip/pjsip-objects.js';
import { pushObjects } from './sip/pushed-objects.js';
import { relist, snapshotOf, type Relist } from './relist.js';

export interface AsteriskEngineOptions {
  /** `http://host:port` of Asterisk's HTTP server, with or without `/ari`. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** A directory for small generated sounds, which Asterisk sees at the same path. */
  readonly soundDir: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** For softphones and trunks, in order of preference. */
  readonly codecs?: readonly string[];
  /** Maximum concurrent calls, enforced by the engine itself. Default: the value in the engine's configuration. */
  readonly maxCalls?: number;
  /** A leg that sends no RTP for this long is hung up. */
  readonly rtpTimeoutSeconds?: number;
  /** For softphones and trunks. */
  readonly sessionTimers?: SessionTimers;
  /** The interval at which trunks are probed. */
  readonly trunkProbeSeconds?: number;
  /** Encryption of signalling and audio; none by default. */
  readonly security?: SipSecurity;
  /** Timeout of one command, and of each step of connecting. */
  readonly timeoutMs?: number;
  readonly pingIntervalMs?: number;
  readonly maxBackoffMs?: number;
}

const CODECS = ['alaw', 'ulaw', 'opus', 'g722'];
const DAY_SECONDS = 86_400;
/** The cause of a leg that ended during an outage; the actual cause is in Asterisk's CEL log. */
const ENDED_DURING_OUTAGE = Q850.NORMAL_UNSPECIFIED;
/** The cause of a leg that was lost because Asterisk itself restarted. */
const OUT_OF_ORDER = Q850.DESTINATION_OUT_OF_ORDER;

/** Event types that end a tap, when they concern its channel or its recording. */
const ENDS_A_TAP = new Set(['StasisEnd', 'ChannelDestroyed', 'RecordingFinished', 'RecordingFailed']);

/** Asterisk 22 over ARI. */
export class AsteriskEngine implements Engine {
  readonly kind = 'asterisk';
  readonly capabilities: ReadonlySet<EngineCapability> = new Set<EngineCapability>([
    'play',
    'dtmf',
    'hold',
    'mute',
    'record',
    'echo',
    'monitor',
    'registrations',
    'trunks',
    'mwi',
    'texts',
    'early_media',
  ]);
  readonly legs: Legs;
  readonly bridges: Bridges;
  readonly media: Media;
  readonly recordings: Recordings;
  readonly monitors: Monitors;
  readonly registrations: Registrations;
  readonly mwi: Mwi;
  readonly texts: Texts;
  readonly trunks: Trunks;
  readonly #http: AriHttp;
  readonly #link: EngineLink;
  readonly #registry = new LegRegistry();
  readonly #echo: AsteriskEcho;
  readonly #holds: AsteriskHolds;
  readonly #monitors: AsteriskMonitors;
  readonly #translator: EventTranslator;
  readonly #bridges: AsteriskBridges;
  readonly #recordings: AsteriskRecordings;
  readonly #registrations: AsteriskRegistrations;
  readonly #trunks: AsteriskTrunks;
  readonly #texts: AsteriskTexts;
  readonly #log: Logger;
  readonly #maxCalls: number | undefined;
  #listener: (event: EngineEvent) => void = () => undefined;
  #instance: AsteriskInstance | undefined;

  constructor(options: AsteriskEngineOptions) {
    const { username, password, timeoutMs = 5_000 } = options;
    const url = options.url.replace(/\/+$/, '').replace(/\/ari$/, '');
    this.#http = new AriHttp({ url, username, password, timeoutMs });
    const bridgePlaybacks = new BridgePlaybacks(this.#http);
    const emit = (event: EngineEvent): void => {
      if (event.type === 'play.finished') bridgePlaybacks.onFinished(event.playbackId, event.legId);
      this.#listener(event);
    };
    const playbacks = new PlaybackRegistry();
    const defaults = {
      codecs: options.codecs ?? CODECS,
      rtpTimeoutSeconds: options.rtpTimeoutSeconds ?? 60,
      rtpTimeoutOnHoldSeconds: DAY_SECONDS,
      sessionTimers: options.sessionTimers ?? { expiresSeconds: 1_800, minSeconds: 90 },
      trunkProbeSeconds: options.trunkProbeSeconds ?? TRUNK_PROBE_SECONDS,
      security: options.security ?? NO_SIP_SECURITY,
    };
    this.#log = options.logger;
    this.#maxCalls = options.maxCalls;
    this.#link = new EngineLink(
      {
        url,
        username,
        password,
        timeoutMs,
        pingIntervalMs: options.pingIntervalMs ?? 2_000,
        maxBackoffMs: options.maxBackoffMs ?? 10_000,
      },
      this.#http,
      {
        onUp: (instance) => this.#resume(instance),
        onEvent: (event) => this.#receive(event),
        onDown: (reason) => emit({ type: 'engine.unreachable', reason }),
      },
      options.clock ?? systemClock,
      options.logger,
    );
    const arrivals = new Arrivals(timeoutMs);
    this.#echo = new AsteriskEcho(this.#http, this.#registry, arrivals);
    this.#holds = new AsteriskHolds(this.#http, this.#registry);
    this.#translator = new EventTranslator(this.#registry, playbacks, arrivals, emit, (leg) =>
      this.#removeHelpers(leg),
    );
    const uris = new MediaUris(options.soundDir);
    const media = new AsteriskMedia(this.#http, this.#link, this.#registry, playbacks, uris, bridgePlaybacks);
    this.media = media;
    const shared = [this.#http, this.#link, this.#registry, media, this.#echo, this.#holds] as const;
    this.monitors = this.#monitors = new AsteriskMonitors(...shared, bridgePlaybacks, arrivals);
    this.trunks = this.#trunks = new AsteriskTrunks(this.#http, this.#link, defaults, options.clock ?? systemClock);
    this.legs = new AsteriskLegs(...shared, this.#monitors, arrivals, defaults.codecs, this.#trunks);
    this.recordings = this.#recordings = new AsteriskRecordings(this.#http, this.#link, this.#registry, arrivals, emit);
    this.bridges = this.#bridges = new AsteriskBridges(...shared, bridgePlaybacks, this.#monitors, this.#recordings);
    this.registrations = this.#registrations = new AsteriskRegistrations(this.#http, this.#link, defaults, emit);
    this.mwi = new AsteriskMwi(this.#http, this.#link);
    this.texts = this.#texts = new AsteriskTexts(this.#http, this.#link, emit);
  }

  get status(): EngineStatus {
    return this.#link.status;
  }

  start(listener: (event: EngineEvent) => void): void {
    this.#listener = listener;
    this.#link.start();
  }

  async stop(): Promise<void> {
    this.#link.stop();
    await this.#http.close();
  }

  async list(): Promise<EngineSnapshot> {
    this.#link.require();
    const instance = this.#instance;
    if (!instance) throw new Error('A connected engine has an instance');
    const relisted = await this.#relist(instance);
    this.#adopt(relisted);
    return snapshotOf(relisted, instance.bootId);
  }

  /** Runs after each connect: pushes what Asterisk may have lost, adopts its legs, and reports the legs that are gone. */
  async #resume(instance: AsteriskInstance): Promise<() => void> {
    const restarted = this.#instance !== undefined && this.#instance.bootId !== instance.bootId;
    this.#instance = instance;
    this.#translator.entityId = instance.entityId;
    await pushObjects(this.#http, healthObjects(randomBytes(18).toString('base64url')));
    if (this.#maxCalls !== undefined) await this.#admit(this.#maxCalls);
    await this.#trunks.resume(restarted);
    const relisted = await this.#relist(instance);
    const unannounced = relisted.legs.filter(
      (leg) => leg.state !== 'answered' && !this.#registry.ofChannel(leg.channel.id),
    );
    this.#adopt(relisted);
    await this.#sweepHelpers(relisted);
    await this.#recordings.resumeAll(relisted);
    const reportRegistrations = await this.#registrations.resume();
    return () => {
      this.#listener({ type: 'engine.connected', bootId: instance.bootId, version: instance.version });
      for (const { channel } of unannounced) this.#translator.announceAgain(channel);
      const present = new Set(relisted.legs.map((leg) => leg.channel.id));
      for (const leg of this.#registry.missingFrom(present)) {
        this.#translator.end(leg, causeOf(restarted ? OUT_OF_ORDER : ENDED_DURING_OUTAGE, null), new Date());
      }
      reportRegistrations();
    };
  }

  /** Makes the engine refuse excess calls by itself, before they reach the application. */
  async #admit(maxCalls: number): Promise<void> {
    const query = { variable: 'HATIF_MAX_CALLS', value: String(maxCalls) };
    await this.#http.send('POST', '/asterisk/variable', { query });
  }

  async #relist(instance: AsteriskInstance): Promise<Relist> {
    const { bridges, ...rest } = await relist(this.#http, instance.entityId);
    return { ...rest, bridges: bridges.filter(({ id }) => !this.#bridges.isDestroyed(id)) };
  }

  /** Inbound legs that are not answered yet are left out: if they were registered here, their announcement would look like a repeat. */
  #adopt({ legs }: Relist): void {
    for (const leg of legs) {
      const { state } = leg;
      const isComingIn = state !== 'answered' && leg.legId !== leg.channel.id;
      if (isComingIn || this.#registry.ofChannel(leg.channel.id)) continue;
      this.#registry.open(leg.legId, leg.channel.id, {
        pending: state === 'created',
        ringing: state === 'ringing',
        answered: state === 'answered',
        bridges: null,
      });
    }
  }

  /** Destroys echo, hold and monitoring bridges whose leg ended during the outage, and registers the others with their legs. */
  async #sweepHelpers({ bridges, spyIds }: Relist): Promise<void> {
    await this.#monitors.sweep(bridges, spyIds);
    for (const { id } of bridges) {
      if (id.startsWith(ECHO_PREFIX)) {
        const leg = this.#registry.leg(id.slice(ECHO_PREFIX.length));
        if (leg) leg.echo = true;
        else await this.#echo.remove(id);
      }
      const heldId = heldLegOf(id);
      const held = heldId === null ? undefined : this.#registry.leg(heldId);
      if (held) held.held = id;
      else if (heldId !== null) await this.#holds.remove(id);
    }
  }

  #removeHelpers({ legId, channelId, echo, monitors, held }: RegisteredLeg): void {
    const dropped = Promise.all([
      echo ? this.#echo.remove(`${ECHO_PREFIX}${legId}`) : null,
      monitors === null ? null : this.#monitors.remove(monitors, channelId),
      this.#holds.remove(held),
    ]);
    dropped.catch((error: unknown) =>
      this.#log.warn({ err: error, legId }, 'cannot remove the helpers of an ended leg'),
    );
  }

  #receive(event: AriEvent): void {
    if (event.type === 'TextMessageReceived') this.#texts.onEvent(event);
    else if (event.application === REGISTRATION_APP) this.#registrations.onEvent(event);
    else {
      this.#translator.translate(event);
      if (ENDS_A_TAP.has(event.type)) this.#recordings.onEvent(event);
    }
  }
}
