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
import type { EngineInstance } from '../common/supervised-link.js';
import { TRUNK_PROBE_SECONDS } from '../common/trunk-probes.js';
import { isBrowserOfEdge, softphoneOfEdge, sourceOf } from './arrival.js';
import { BrowserRoutes, REINVITED } from './browsers/routes.js';
import { causeOf } from './cause.js';
import { dumpOf, waitForChannelTable, listLegs, type DumpedLeg, type LiveLeg } from './channels.js';
import { BROWSER_MEDIA } from './codecs.js';
import type { EslEvent } from './esl/esl-connection.js';
import { EslLink } from './esl/esl-link.js';
import { EventTranslator, REFER_FAILED } from './event-translator.js';
import { allMembers, FreeswitchBridges } from './freeswitch-bridges.js';
import { FreeswitchMwi } from './freeswitch-mwi.js';
import { contactsOf, endAfter, FreeswitchLegs } from './freeswitch-legs.js';
import { FreeswitchMedia } from './freeswitch-media.js';
import { FreeswitchMonitors } from './freeswitch-monitors.js';
import { FreeswitchRecordings, isRecorder } from './freeswitch-recordings.js';
import { FreeswitchRegistrations } from './freeswitch-registrations.js';
import { FreeswitchTexts } from './freeswitch-texts.js';
import { FreeswitchTrunks } from './freeswitch-trunks.js';
import { AwaitedEvents } from './awaited-events.js';
import { LegRecords } from './leg-records.js';
import { LegRegistry } from './leg-registry.js';
import { Originations } from './originations.js';
import { freeswitchXml, type XmlRequest } from './xml.js';

export interface FreeswitchEngineOptions {
  /** Address of FreeSWITCH's event socket. */
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** The recording directory, which FreeSWITCH and this process see at the same path. */
  readonly recordingDir: string;
  /** The file to which FreeSWITCH writes the ends of legs, if this process can read it. The engine keeps it small. */
  readonly legRecords?: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** For outbound legs, in order of preference, with FreeSWITCH's names. */
  readonly codecs?: readonly string[];
  /** A leg that sends no RTP for this long is hung up. */
  readonly rtpTimeoutSeconds?: number;
  /** Maximum concurrent calls, enforced by the engine itself. Default: the value in the engine's configuration. */
  readonly maxCalls?: number;
  /** The interval at which trunks are probed: at least 5. */
  readonly trunkProbeSeconds?: number;
  /** Encryption of signalling and audio; none by default. */
  readonly security?: SipSecurity;
  /** Timeout of one command, and of each step of connecting. */
  readonly timeoutMs?: number;
  readonly pingIntervalMs?: number;
  readonly maxBackoffMs?: number;
}

const CODECS = ['PCMA', 'PCMU', 'OPUS', 'G722'];
/** The cause of a leg that ended during an outage; the actual cause is in FreeSWITCH's CDRs. */
const ENDED_DURING_OUTAGE = Q850.NORMAL_UNSPECIFIED;
/** The cause of a leg that was lost because FreeSWITCH itself restarted. */
const OUT_OF_ORDER = Q850.DESTINATION_OUT_OF_ORDER;

/** Of a call whose dialplan sets none: its configuration is of an earlier version. */
const MAX_CALL_SECONDS = 14_400;

/** FreeSWITCH 1.10 over its event socket. */
export class FreeswitchEngine implements Engine {
  readonly kind = 'freeswitch';
  readonly capabilities: ReadonlySet<EngineCapability> = new Set<EngineCapability>([
    ...(['play', 'dtmf', 'hold', 'mute', 'record', 'echo', 'monitor', 'registrations', 'trunks'] as const),
    ...(['mwi', 'texts'] as const),
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
  readonly #link: EslLink;
  readonly #registry = new LegRegistry();
  readonly #media: FreeswitchMedia;
  readonly #translator: EventTranslator;
  readonly #originations: Originations;
  readonly #bridges: FreeswitchBridges;
  readonly #recordings: FreeswitchRecordings;
  readonly #registrations: FreeswitchRegistrations;
  readonly #trunks: FreeswitchTrunks;
  readonly #routes: BrowserRoutes;
  readonly #texts: FreeswitchTexts;
  readonly #records: LegRecords | undefined;
  readonly #log: Logger;
  readonly #probeSeconds: number;
  readonly #security: SipSecurity;
  readonly #codecs: readonly string[];
  readonly #maxCalls: number | undefined;
  #listener: (event: EngineEvent) => void = () => undefined;
  #instance: EngineInstance | undefined;

  constructor(options: FreeswitchEngineOptions) {
    const { host, port, password, timeoutMs = 5_000 } = options;
    const emit = (event: EngineEvent): void => this.#listener(event);
    this.#log = options.logger;
    this.#codecs = options.codecs ?? CODECS;
    this.#maxCalls = options.maxCalls;
    this.#probeSeconds = options.trunkProbeSeconds ?? TRUNK_PROBE_SECONDS;
    this.#security = options.security ?? NO_SIP_SECURITY;
    this.#link = new EslLink(
      {
        ...{ host, port, password, timeoutMs },
        pingIntervalMs: options.pingIntervalMs ?? 2_000,
        maxBackoffMs: options.maxBackoffMs ?? 10_000,
      },
      {
        onUp: (instance) => this.#resume(instance),
        onEvent: (event) => this.#receive(event),
        onDown: (reason) => {
          this.#originations.connectionLost();
          this.#texts.connectionLost();
          emit({ type: 'engine.unreachable', reason });
        },
      },
      options.clock ?? systemClock,
      options.logger,
    );
    const link = this.#link;
    const { legRecords } = options;
    if (legRecords !== undefined) {
      this.#records = new LegRecords(link, legRecords, options.clock ?? systemClock, options.logger);
    }
    this.#routes = new BrowserRoutes({
      link,
      dumpOf: (channelId) => dumpOf(link, channelId),
      contactOf: (aor) => contactsOf(link, aor),
    });
    const awaitedEvents = new AwaitedEvents(timeoutMs);
    this.#originations = new Originations(link, timeoutMs);
    this.trunks = this.#trunks = new FreeswitchTrunks(
      ...([link, options.clock ?? systemClock, options.logger, this.#probeSeconds] as const),
      () => this.#translator.announceUnidentified(),
    );
    this.media = this.#media = new FreeswitchMedia(
      ...([link, this.#registry, emit, options.logger, options.recordingDir] as const),
    );
    this.registrations = this.#registrations = new FreeswitchRegistrations(link, emit, (aor) =>
      this.#translator.announceUnidentified((event) => softphoneOfEdge(event) === aor),
    );
    this.texts = this.#texts = new FreeswitchTexts(link);
    this.mwi = new FreeswitchMwi(link, (aor) => this.#registrations.isRegistered(aor), options.clock ?? systemClock);
    this.recordings = this.#recordings = new FreeswitchRecordings(
      ...([link, this.#registry, awaitedEvents, options.recordingDir, emit] as const),
    );
    this.monitors = new FreeswitchMonitors(link, this.#registry, this.#media, awaitedEvents);
    this.bridges = this.#bridges = new FreeswitchBridges(link, this.#registry, this.#media, awaitedEvents);
    this.legs = new FreeswitchLegs(link, this.#registry, this.#media, this.#trunks, awaitedEvents, this.#originations, {
      codecs: this.#codecs,
      mediaTimeoutMs: (options.rtpTimeoutSeconds ?? 60) * 1_000,
      softphone: (aor) => this.#registrations.get(aor),
      security: this.#security,
    });
    this.#translator = new EventTranslator(
      this.#registry,
      this.#media,
      awaitedEvents,
      (event) =>
        sourceOf(event, {
          softphone: (aor) => this.#registrations.get(aor),
          trunk: (trunkId) => this.#trunks.get(trunkId),
          trunks: () => this.#trunks.all(),
        }),
      {
        emit,
        onCreated: (leg) => this.#originations.created(leg),
        onIncoming: ({ channelId }, event) => {
          if (isBrowserOfEdge(event)) this.#prepareBrowser(channelId);
          this.#runInBackground(
            this.#accept(channelId, event.variable_hatif_wait !== undefined),
            'cannot cancel the admission timeout of an inbound call',
          );
        },
      },
    );
  }

  get status(): EngineStatus {
    return this.#link.status;
  }

  start(listener: (event: EngineEvent) => void): void {
    this.#listener = listener;
    this.#link.start();
    this.#records?.start();
  }

  stop(): Promise<void> {
    this.#link.stop();
    this.#records?.stop();
    return Promise.resolve();
  }

  /** Answers a request of FreeSWITCH for accounts and addresses (mod_xml_curl). */
  xml(request: XmlRequest): string {
    return freeswitchXml(request, {
      softphone: (aor) => this.#registrations.get(aor),
      trunks: () => this.#trunks.all(),
      probeSeconds: this.#probeSeconds,
      phonesNeedTls: this.#security.phonesNeedTls,
      codecs: this.#codecs,
    });
  }

  async list(): Promise<EngineSnapshot> {
    this.#link.require();
    const { bootId } = this.#instance ?? {};
    if (bootId === undefined) throw new Error('A connected engine has an instance');
    const legs = await this.#relist();
    const [bridgeIds, members] = [await this.#bridges.refresh(), await allMembers(this.#link)];
    const bridgeOf = new Map(
      [...members].flatMap(([bridgeId, channels]) => channels.map((channel) => [channel, bridgeId] as const)),
    );
    return {
      bootId,
      legs: legs.map(({ legId, channelId, state, createdAt, answeredAt }) => ({
        ...{ legId, state, createdAt, answeredAt },
        bridgeId: bridgeOf.get(channelId) ?? null,
      })),
      bridgeIds,
      recordingIds: await this.#running(legs, members),
    };
  }

  #running(legs: readonly LiveLeg[], members: ReadonlyMap<string, readonly string[]>): Promise<readonly string[]> {
    return this.#recordings.running([
      ...legs.map(({ channelId }) => channelId),
      ...[...members.values()].flat().filter(isRecorder),
    ]);
  }

  /** Runs after each connect: makes FreeSWITCH reload its trunks, adopts its legs, and reports the legs that are gone. */
  async #resume(instance: EngineInstance): Promise<() => void> {
    const restarted = this.#instance !== undefined && this.#instance.bootId !== instance.bootId;
    this.#instance = instance;
    // FreeSWITCH refuses excess calls by itself, before they reach the application.
    if (this.#maxCalls !== undefined) await this.#link.api(`global_setvar hatif_max_calls=${this.#maxCalls}`);
    await this.#records?.check();
    await this.#trunks.resume(restarted);
    await this.#bridges.refresh();
    await waitForChannelTable(this.#link);
    const legs = await listLegs(this.#link, () => false);
    const unannounced = legs.filter((leg) => leg.inbound && leg.state !== 'answered' && !this.#registry.leg(leg.legId));
    const updated = legs.map(({ legId, state, answeredAt }) => {
      const leg = this.#registry.leg(legId);
      if (leg && !leg.answered) leg.answeredAt = answeredAt;
      return { leg, state };
    });
    this.#adopt(legs.filter((leg) => !unannounced.includes(leg)));
    await this.#running(legs, await allMembers(this.#link));
    // Before anybody hangs one up.
    await Promise.all(legs.map(({ channelId, dump }) => this.#keepReachable(this.#routes.renew(channelId, dump))));
    const reportRegistrations = await this.#registrations.resume();
    return () => {
      this.#listener({ type: 'engine.connected', bootId: instance.bootId, version: instance.version });
      for (const { dump } of unannounced) this.#translator.announce(dump);
      for (const { leg, state } of updated) if (leg) this.#translator.reportMissedState(leg, state, new Date());
      const playing = new Set(legs.filter((leg) => leg.playing).map(({ legId }) => legId));
      const present = new Set(legs.map(({ channelId }) => channelId));
      for (const leg of this.#registry.missingFrom(present)) {
        this.#translator.end(leg, causeOf(restarted ? OUT_OF_ORDER : ENDED_DURING_OUTAGE, null), new Date());
      }
      this.#media.resume((legId) => playing.has(legId), new Date());
      reportRegistrations();
    };
  }

  /** Returns the registered legs, after adopting those that are in FreeSWITCH but not registered. */
  async #relist(): Promise<readonly LiveLeg[]> {
    const isKnown = (channelId: string): boolean => this.#registry.ofChannel(channelId) !== undefined;
    const unregistered = await listLegs(this.#link, isKnown);
    this.#adopt(unregistered.filter(({ channelId }) => !isKnown(channelId)));
    // A leg that FreeSWITCH is hanging up no longer counts, although its end is not reported yet.
    const registered = this.#registry.all().filter(({ pending, hangingUp }) => !pending && !hangingUp);
    return registered.map((leg): LiveLeg => {
      const state = leg.answered ? 'answered' : leg.ringing || leg.inbound ? 'ringing' : 'dialled';
      return { ...leg, state };
    });
  }

  #adopt(legs: readonly DumpedLeg[]): void {
    for (const { legId, channelId, inbound, state, createdAt, answeredAt, ...place } of legs) {
      if (this.#registry.leg(legId)) continue;
      const [ringing, answered] = [state === 'ringing', state === 'answered'];
      const { held, echo, monitors } = place;
      const known = { inbound, createdAt, ringing, answered, answeredAt, held, echo, monitors };
      this.#registry.open(legId, channelId, known);
    }
  }

  /**
   * Cancels the dialplan's timeout of a waiting call. @param isGuarded whether the dialplan has also set its maximum
   * duration: a configuration of an earlier version has not
   */
  async #accept(channelId: string, isGuarded: boolean): Promise<void> {
    if (isGuarded) {
      await this.#link.api(`sched_del ${channelId}-wait`);
      return;
    }
    await this.#link.api(`sched_del ${channelId}`);
    await this.#link.api(endAfter(channelId, MAX_CALL_SECONDS));
  }

  /**
   * The answer to a browser must fit it. A browser that registers at FreeSWITCH has this from its account; for one behind
   * the SIP edge, FreeSWITCH asks for none. It is too late for the codec: that is chosen when the call arrives.
   */
  #prepareBrowser(channelId: string): void {
    const variables = Object.entries(BROWSER_MEDIA).map(([name, value]) => `${name}=${value}`);
    const command = `uuid_setvar_multi ${channelId} ${variables.join(';')}`;
    this.#runInBackground(this.#link.api(command), 'cannot set what the audio of a browser needs');
  }

  /** Never rejects: the call continues, but its browser may miss the end. */
  #keepReachable(check: Promise<void>): Promise<void> {
    const trouble = 'cannot send the requests of a call to the new WebSocket of its browser';
    return check.catch((err: unknown) => this.#log.warn({ err }, trouble));
  }

  #runInBackground(command: Promise<unknown>, trouble: string): void {
    command.catch((error: unknown) => this.#log.warn({ err: error }, trouble));
  }

  #receive(event: EslEvent): void {
    const subclass = event['Event-Subclass'] ?? '';
    if (event['Event-Name'] === 'BACKGROUND_JOB') {
      this.#originations.jobEnded(event);
      this.#texts.jobEnded(event);
    } else if (event['Event-Name'] === 'RECORD_STOP') this.#recordings.onEvent(event);
    else if (subclass === REINVITED) void this.#keepReachable(this.#routes.check(event['Unique-ID'] ?? ''));
    else if (subclass.startsWith('sofia::') && subclass !== REFER_FAILED) this.#registrations.onEvent(event);
    else this.#translator.translate(event);
  }
}
