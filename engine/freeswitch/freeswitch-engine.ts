import { Q850 } from '../../core/model/call/hangup-cause.js';
import { systemClock, type Clock } from '../../core/ports/clock.js';
import type {
  Bridges,
  Engine,
  EngineCapability,
  EngineEvent,
  EngineSnapshot,
  EngineStatus,
  Mwi,
  Legs,
  Media,
  Monitors,
  Recordings,
  Registrations,
  Trunks,
} from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';
import type { LinkBoot } from '../common/supervised-link.js';
import { sourceOf } from './arrival.js';
import { causeOf } from './cause.js';
import { catchUp, findLegs, type FoundLeg, type ListedLeg } from './channels.js';
import type { EslEvent } from './esl/esl-connection.js';
import { EslLink } from './esl/esl-link.js';
import { EventTranslator, REFER_FAILED } from './event-translator.js';
import { allMembers, FreeswitchBridges } from './freeswitch-bridges.js';
import { FreeswitchMwi } from './freeswitch-mwi.js';
import { endAfter, FreeswitchLegs } from './freeswitch-legs.js';
import { FreeswitchMedia } from './freeswitch-media.js';
import { FreeswitchMonitors } from './freeswitch-monitors.js';
import { FreeswitchRecordings, isEar } from './freeswitch-recordings.js';
import { FreeswitchRegistrations } from './freeswitch-registrations.js';
import { FreeswitchTrunks } from './freeswitch-trunks.js';
import { AwaitedEvents } from './awaited-events.js';
import { LegRegistry } from './leg-registry.js';
import { Originations } from './originations.js';
import { freeswitchXml, type XmlRequest } from './xml.js';

export interface FreeswitchEngineOptions {
  /** Of FreeSWITCH's event socket. */
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** A folder of recordings, at the same path for FreeSWITCH and for this process. */
  readonly recordingDir: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Of legs that go out, in order of preference, in FreeSWITCH's names. */
  readonly codecs?: readonly string[];
  /** A phone that sends no audio for so long is taken for gone. */
  readonly rtpTimeoutSeconds?: number;
  /** Calls in at once, above which the engine refuses by itself; what its configuration says where this is left out. */
  readonly maxCalls?: number;
  /** A call in ends after this time by itself. */
  readonly maxCallSeconds?: number;
  /** For one command, and for each step of connecting. */
  readonly timeoutMs?: number;
  readonly pingIntervalMs?: number;
  readonly maxBackoffMs?: number;
}

const CODECS = ['PCMA', 'PCMU', 'OPUS', 'G722'];
/** A leg that was gone after an outage; what really ended it stands in FreeSWITCH's own records. */
const ENDED_MEANWHILE = Q850.NORMAL_UNSPECIFIED;
/** FreeSWITCH itself was gone. */
const OUT_OF_ORDER = Q850.DESTINATION_OUT_OF_ORDER;

/** FreeSWITCH 1.10 over its event socket. */
export class FreeswitchEngine implements Engine {
  readonly kind = 'freeswitch';
  readonly capabilities: ReadonlySet<EngineCapability> = new Set<EngineCapability>([
    ...(['play', 'dtmf', 'hold', 'mute', 'record', 'echo', 'monitor', 'registrations', 'trunks', 'mwi'] as const),
  ]);
  readonly legs: Legs;
  readonly bridges: Bridges;
  readonly media: Media;
  readonly recordings: Recordings;
  readonly monitors: Monitors;
  readonly registrations: Registrations;
  readonly mwi: Mwi;
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
  readonly #log: Logger;
  readonly #maxCallSeconds: number;
  readonly #maxCalls: number | undefined;
  #listener: (event: EngineEvent) => void = () => undefined;
  #boot: LinkBoot | undefined;

  constructor(options: FreeswitchEngineOptions) {
    const { host, port, password, timeoutMs = 5_000 } = options;
    const emit = (event: EngineEvent): void => this.#listener(event);
    this.#log = options.logger;
    this.#maxCalls = options.maxCalls;
    this.#maxCallSeconds = options.maxCallSeconds ?? 14_400;
    this.#link = new EslLink(
      {
        ...{ host, port, password, timeoutMs },
        pingIntervalMs: options.pingIntervalMs ?? 2_000,
        maxBackoffMs: options.maxBackoffMs ?? 10_000,
      },
      {
        onUp: (boot) => this.#resume(boot),
        onEvent: (event) => this.#receive(event),
        onDown: (reason) => {
          this.#originations.connectionLost();
          emit({ type: 'engine.unreachable', reason });
        },
      },
      options.clock ?? systemClock,
      options.logger,
    );
    const link = this.#link;
    const happenings = new AwaitedEvents(timeoutMs);
    this.#originations = new Originations(link, timeoutMs);
    this.trunks = this.#trunks = new FreeswitchTrunks(link, options.clock ?? systemClock, options.logger, () =>
      this.#translator.lookAtStrangers(),
    );
    this.media = this.#media = new FreeswitchMedia(
      ...([link, this.#registry, emit, options.logger, options.recordingDir] as const),
    );
    this.registrations = this.#registrations = new FreeswitchRegistrations(link, emit);
    this.mwi = new FreeswitchMwi(link, (aor) => this.#registrations.isRegistered(aor), options.clock ?? systemClock);
    this.recordings = this.#recordings = new FreeswitchRecordings(
      ...([link, this.#registry, happenings, options.recordingDir, emit] as const),
    );
    this.monitors = new FreeswitchMonitors(link, this.#registry, this.#media, happenings);
    this.bridges = this.#bridges = new FreeswitchBridges(link, this.#registry, this.#media, happenings);
    this.legs = new FreeswitchLegs(link, this.#registry, this.#media, this.#trunks, happenings, this.#originations, {
      codecs: options.codecs ?? CODECS,
      mediaTimeoutMs: (options.rtpTimeoutSeconds ?? 60) * 1_000,
    });
    this.#translator = new EventTranslator(
      this.#registry,
      this.#media,
      happenings,
      (event) => sourceOf(event, this.#trunks.all()),
      {
        emit,
        onCreated: (leg) => this.#originations.created(leg),
        onIncoming: (leg) => this.#later(this.#takeOver(leg.channelId), 'a call could not be taken from its waiting'),
      },
    );
  }

  get status(): EngineStatus {
    return this.#link.status;
  }

  start(listener: (event: EngineEvent) => void): void {
    this.#listener = listener;
    this.#link.start();
  }

  stop(): Promise<void> {
    this.#link.stop();
    return Promise.resolve();
  }

  /** The answer to a question of FreeSWITCH about accounts and addresses (mod_xml_curl). */
  xml(request: XmlRequest): string {
    return freeswitchXml(request, {
      softphone: (aor) => this.#registrations.get(aor),
      trunks: () => this.#trunks.all(),
    });
  }

  async list(): Promise<EngineSnapshot> {
    this.#link.require();
    const { bootId } = this.#boot ?? {};
    if (bootId === undefined) throw new Error('A connected engine has booted');
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

  #running(legs: readonly ListedLeg[], members: ReadonlyMap<string, readonly string[]>): Promise<readonly string[]> {
    return this.#recordings.running([
      ...legs.map(({ channelId }) => channelId),
      ...[...members.values()].flat().filter(isEar),
    ]);
  }

  /** After each connect: let FreeSWITCH ask again what changed, take up its legs, tell of those that are gone. */
  async #resume(boot: LinkBoot): Promise<() => void> {
    const restarted = this.#boot !== undefined && this.#boot.bootId !== boot.bootId;
    this.#boot = boot;
    // It refuses by itself, before the application hears of a call.
    if (this.#maxCalls !== undefined) await this.#link.api(`global_setvar hatif_max_calls=${this.#maxCalls}`);
    await this.#trunks.resume();
    await this.#bridges.refresh();
    await catchUp(this.#link);
    const legs = await findLegs(this.#link, () => false);
    const unheard = legs.filter((leg) => leg.inbound && leg.state !== 'answered' && !this.#registry.leg(leg.legId));
    const advanced = legs.map(({ legId, state, answeredAt }) => {
      const leg = this.#registry.leg(legId);
      if (leg && !leg.answered) leg.answeredAt = answeredAt;
      return { leg, state };
    });
    this.#adopt(legs.filter((leg) => !unheard.includes(leg)));
    await this.#running(legs, await allMembers(this.#link));
    const tellRegistrations = await this.#registrations.resume();
    return () => {
      this.#listener({ type: 'engine.connected', bootId: boot.bootId, version: boot.version });
      for (const { dump } of unheard) this.#translator.announce(dump);
      for (const { leg, state } of advanced) if (leg) this.#translator.catchUp(leg, state, new Date());
      const playing = new Set(legs.filter((leg) => leg.playing).map(({ legId }) => legId));
      const present = new Set(legs.map(({ channelId }) => channelId));
      for (const leg of this.#registry.missingFrom(present)) {
        this.#translator.end(leg, causeOf(restarted ? OUT_OF_ORDER : ENDED_MEANWHILE, null), new Date());
      }
      this.#media.resume((legId) => playing.has(legId), new Date());
      tellRegistrations();
    };
  }

  /** What was heard, and what else there is: takes that up. */
  async #relist(): Promise<readonly ListedLeg[]> {
    const isKnown = (channelId: string): boolean =>
      this.#registry.ofChannel(channelId) !== undefined || this.#translator.isStranger(channelId);
    const strange = await findLegs(this.#link, isKnown);
    this.#adopt(strange.filter(({ channelId }) => !isKnown(channelId)));
    // One that FreeSWITCH is ending is no more, though its end is yet to be told.
    const heard = this.#registry.all().filter(({ pending, hangingUp }) => !pending && !hangingUp);
    return heard.map((leg): ListedLeg => {
      const state = leg.answered ? 'answered' : leg.ringing || leg.inbound ? 'ringing' : 'dialled';
      return { ...leg, state };
    });
  }

  #adopt(legs: readonly FoundLeg[]): void {
    for (const { legId, channelId, inbound, state, createdAt, answeredAt, ...place } of legs) {
      if (this.#registry.leg(legId)) continue;
      const [ringing, answered] = [state === 'ringing', state === 'answered'];
      const { held, echo, monitors } = place;
      const known = { inbound, createdAt, ringing, answered, answeredAt, held, echo, monitors };
      this.#registry.open(legId, channelId, known);
    }
  }

  /** The dialplan ends a call that nobody takes; this one is taken. */
  async #takeOver(channelId: string): Promise<void> {
    await this.#link.api(`sched_del ${channelId}`);
    await this.#link.api(endAfter(channelId, this.#maxCallSeconds));
  }

  #later(command: Promise<unknown>, trouble: string): void {
    command.catch((error: unknown) => this.#log.warn({ err: error }, trouble));
  }

  #receive(event: EslEvent): void {
    const subclass = event['Event-Subclass'] ?? '';
    if (event['Event-Name'] === 'BACKGROUND_JOB') this.#originations.jobEnded(event);
    else if (event['Event-Name'] === 'RECORD_STOP') this.#recordings.onEvent(event);
    else if (subclass.startsWith('sofia::') && subclass !== REFER_FAILED) this.#registrations.onEvent(event);
    else this.#translator.translate(event);
  }
}
