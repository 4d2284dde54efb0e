import type { MonitorRequest, Monitors } from '../../core/ports/engine.js';
import type { EslLink } from './esl/esl-link.js';
import type { FreeswitchMedia } from './freeswitch-media.js';
import { EngineError } from '../../core/ports/engine.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry } from './leg-registry.js';
import { listeningTo, move, PARKED } from './leg-locations.js';

/** FreeSWITCH's own eavesdropping, an application of the listening channel: it ends with either channel, and holds while the application is away. */
export class FreeswitchMonitors implements Monitors {
  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly media: Pick<FreeswitchMedia, 'stopAllOf'>,
    private readonly happenings: AwaitedEvents,
  ) {}

  async start({ legId, targetLegId, whispers }: MonitorRequest): Promise<void> {
    this.link.require();
    const channelId = this.registry.channelOf(targetLegId);
    // Eavesdropping on nobody is over at once, and nothing tells.
    if ((await this.link.api(`uuid_exists ${channelId}`)).trim() !== 'true') {
      throw new EngineError('no_such_leg', `No such leg: ${targetLegId}`);
    }
    await this.media.stopAllOf(legId);
    await move(this.link, this.happenings, this.registry.channelOf(legId), listeningTo(channelId, whispers));
    this.#note(legId, true);
  }

  async stop(legId: string): Promise<void> {
    this.link.require();
    if (this.registry.leg(legId)?.monitors === false) return;
    await this.media.stopAllOf(legId);
    await move(this.link, this.happenings, this.registry.channelOf(legId), PARKED);
    this.#note(legId, false);
  }

  #note(legId: string, monitors: boolean): void {
    const leg = this.registry.leg(legId);
    if (leg) [leg.held, leg.echo, leg.monitors] = [false, false, monitors];
  }
}
