import type { Bridges } from '../../core/ports/engine.js';
import { missingChannel, type AriHttp } from './ari/ari-http.js';
import type { AsteriskEcho } from './asterisk-echo.js';
import type { AsteriskHolds } from './asterisk-holds.js';
import type { AsteriskMedia } from './asterisk-media.js';
import type { AsteriskMonitors } from './asterisk-monitors.js';
import type { AsteriskRecordings } from './asterisk-recordings.js';
import type { BridgePlaybacks } from './bridge-playbacks.js';
import { createBridge, destroyBridge } from './bridge-requests.js';
import type { EngineLink } from './ari/engine-link.js';
import type { LegRegistry } from './leg-registry.js';

/** Media always passes through Asterisk, so that mute, DTMF and recording work with any pair of phones. */
const MIXING = 'mixing,dtmf_events,proxy_media';

/** How many destroyed bridges to remember: far more than Asterisk takes apart at one time. */
const REMEMBERED = 1_000;

export class AsteriskBridges implements Bridges {
  /** All legs that have been in each bridge, including those that left. */
  readonly #members = new Map<string, Set<string>>();
  readonly #destroyed = new Set<string>();

  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly registry: LegRegistry,
    private readonly media: AsteriskMedia,
    private readonly echoes: AsteriskEcho,
    private readonly holds: AsteriskHolds,
    private readonly bridgePlaybacks: BridgePlaybacks,
    private readonly monitors: Pick<AsteriskMonitors, 'leave'>,
    private readonly recordings: Pick<AsteriskRecordings, 'stopBridgeRecordings'>,
  ) {}

  async create(bridgeId: string): Promise<void> {
    this.link.require();
    await createBridge(this.http, bridgeId, MIXING);
  }

  /** Also removes the leg from its current bridge, and stops its playbacks: the move would wait for their end. */
  async add(bridgeId: string, legId: string): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await this.echoes.leave(legId);
    await this.holds.leave(legId);
    await this.monitors.leave(legId);
    if (this.#isChangeOfPartners(bridgeId, legId)) await this.bridgePlaybacks.mix(bridgeId);
    await this.#change('addChannel', bridgeId, legId);
  }

  /**
   * While a bridge has only two members, Asterisk passes the packets of one to the other unmixed. Once one of them has
   * had another partner, Asterisk often cannot transcode between them: a phone with another codec hears nothing, and a
   * recording is silent (measured with 22.10: every second time). A mixed bridge does not have this problem.
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
    await this.recordings.stopBridgeRecordings(bridgeId);
    const known = [...(this.#members.get(bridgeId) ?? [])].filter((legId) => this.registry.leg(legId) !== undefined);
    const keep = known.map((legId) => this.registry.channelOf(legId));
    await destroyBridge(this.http, bridgeId, keep);
    this.#members.delete(bridgeId);
    this.bridgePlaybacks.forget(bridgeId);
    this.#destroyed.add(bridgeId);
    const [oldest] = this.#destroyed;
    if (this.#destroyed.size > REMEMBERED && oldest !== undefined) this.#destroyed.delete(oldest);
  }

  /** Asterisk still lists a bridge for a moment after it confirmed its deletion. */
  isDestroyed(bridgeId: string): boolean {
    return this.#destroyed.has(bridgeId);
  }
}
