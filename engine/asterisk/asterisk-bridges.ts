import type { Bridges } from '../../core/ports/engine.js';
import { missingChannel, type AriHttp } from './ari/ari-http.js';
import type { AsteriskEcho } from './asterisk-echo.js';
import type { AsteriskHolds } from './asterisk-holds.js';
import type { AsteriskMedia } from './asterisk-media.js';
import type { AsteriskMonitors } from './asterisk-monitors.js';
import type { AsteriskRecordings } from './asterisk-recordings.js';
import type { BridgePlays } from './bridge-plays.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { EngineLink } from './ari/engine-link.js';
import type { LegRegistry } from './leg-registry.js';

/** Media goes through Asterisk, so that mute, digits and recording work whatever the two phones could do alone. */
const MIXING = 'mixing,dtmf_events,proxy_media';

/** How many destroyed bridges are remembered: far more than Asterisk takes apart at one time. */
const REMEMBERED = 1_000;

export class AsteriskBridges implements Bridges {
  /** Who has been in each, whether still there or not. */
  readonly #members = new Map<string, Set<string>>();
  readonly #destroyed = new Set<string>();

  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly registry: LegRegistry,
    private readonly media: AsteriskMedia,
    private readonly echoes: AsteriskEcho,
    private readonly holds: AsteriskHolds,
    private readonly plays: BridgePlays,
    private readonly monitors: Pick<AsteriskMonitors, 'leave'>,
    private readonly recordings: Pick<AsteriskRecordings, 'bridgeEnds'>,
  ) {}

  async create(bridgeId: string): Promise<void> {
    this.link.require();
    await createBridge(this.http, bridgeId, MIXING);
  }

  /** Also takes the leg out of the bridge that it was in, and stops what is played to it (it would wait for its end). */
  async add(bridgeId: string, legId: string): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await this.echoes.leave(legId);
    await this.holds.leave(legId);
    await this.monitors.leave(legId);
    if (this.#isChangeOfPartners(bridgeId, legId)) await this.plays.mix(bridgeId);
    await this.#change('addChannel', bridgeId, legId);
  }

  /**
   * While only two are in a bridge, Asterisk hands the packets of the one to the other. Once one of them has had another partner, it often
   * cannot translate them any more: a phone with another codec hears nothing, a recording is silent (measured with 22.10: every other
   * time). What is mixed has no such trouble.
   */
  #isChangeOfPartners(bridgeId: string, legId: string): boolean {
    const members = this.#members.get(bridgeId) ?? new Set();
    this.#members.set(bridgeId, members.add(legId));
    this.registry.leg(legId)?.bridges?.add(bridgeId);
    const hasMetOthers = (id: string): boolean => this.registry.leg(id)?.bridges?.size !== 1;
    return members.size > 2 || [...members].some(hasMetOthers);
  }

  async remove(bridgeId: string, legId: string): Promise<void> {
    this.link.require();
    await this.#change('removeChannel', bridgeId, legId);
  }

  async #change(verb: 'addChannel' | 'removeChannel', bridgeId: string, legId: string): Promise<void> {
    try {
      await this.http.send('POST', `/bridges/${bridgeId}/${verb}`, {
        query: { channel: this.registry.channelOf(legId) },
      });
    } catch (error) {
      throw missingChannel(error);
    }
  }

  async destroy(bridgeId: string): Promise<void> {
    this.link.require();
    await this.recordings.bridgeEnds(bridgeId);
    const known = [...(this.#members.get(bridgeId) ?? [])].filter((legId) => this.registry.leg(legId) !== undefined);
    const goOn = known.map((legId) => this.registry.channelOf(legId));
    await destroyBridge(this.http, bridgeId, goOn);
    this.#members.delete(bridgeId);
    this.plays.forget(bridgeId);
    this.#destroyed.add(bridgeId);
    const [oldest] = this.#destroyed;
    if (this.#destroyed.size > REMEMBERED && oldest !== undefined) this.#destroyed.delete(oldest);
  }

  /** Asterisk lists a bridge for a moment after it said that it is gone. */
  isDestroyed(bridgeId: string): boolean {
    return this.#destroyed.has(bridgeId);
  }
}
