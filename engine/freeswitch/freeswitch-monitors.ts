import type { MonitorRequest, Monitors } from '../../core/ports/engine.js';
import type { EslLink } from './esl/esl-link.js';
import type { FreeswitchMedia } from './freeswitch-media.js';
import { EngineError } from '../../core/ports/engine.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry } from './leg-registry.js';
import { listeningTo, move, PARKED } from './leg-locations.js';

/**
 * Monitors with FreeSWITCH's eavesdrop, an application of the listening channel. It ends with either channel, and
 * survives a restart of the application.
 */
export class FreeswitchMonitors implements Monitors {
  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly media: Pick<FreeswitchMedia, 'stopAllOf'>,
    private readonly awaitedEvents: AwaitedEvents,
  ) {}

  async start({ legId, targetLegId, whispers }: MonitorRequest): Promise<void> {
    this.link.require();
    const channelId = this.registry.channelOf(targetLegId);
    // Eavesdropping on a missing channel ends at once without an event.
    if ((await this.link.api(`uuid_exists ${channelId}`)).trim() !== 'true') {
      throw new EngineError('no_such_leg', `No such leg: ${targetLegId}`);
    }
    await this.media.stopAllOf(legId);
    await move(this.link, this.awaitedEvents, this.registry.channelOf(legId), listeningTo(channelId, whispers));
    this.#note(legId, true);
  }

  async stop(legId: string): Promise<void> {
    this.link.require();
    if (this.registry.leg(legId)?.monitors === false) return;
    await this.media.stopAllOf(legId);
    await move(this.link, this.awaitedEvents, this.registry.channelOf(legId), PARKED);
    this.#note(legId, false);
  }

  #note(legId: string, monitors: boolean): void {
    const leg = this.registry.leg(legId);
    if (leg) [leg.held, leg.echo, leg.monitors] = [false, false, monitors];
  }
}
