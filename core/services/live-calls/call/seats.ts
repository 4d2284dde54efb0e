import type { Engine } from '../../../ports/engine.js';
import { ifAlive } from './if-alive.js';
import type { ConferenceState } from '../../call-state/conference-state.js';

/** Where a call's legs are in its conference: with the others in the bridge that has the conference's id, or waiting with music. */
export class ConferenceLegs {
  readonly #places = new Map<string, 'talks' | 'waits'>();

  constructor(private readonly engine: Engine) {}

  /** The engine has the leg in the conference's bridge from before. */
  found(legId: string): void {
    this.#places.set(legId, 'talks');
  }

  /** It is with the others. */
  talks(legId: string): boolean {
    return this.#places.get(legId) === 'talks';
  }

  /** The leg was taken elsewhere. */
  leave(legId: string): void {
    this.#places.delete(legId);
  }

  /** Brings the leg to where it belongs by now, if it is not there. */
  async take(conference: ConferenceState, legId: string): Promise<void> {
    const place = conference.isStarted ? 'talks' : 'waits';
    if (this.#places.get(legId) === place) return;
    const { legs, bridges } = this.engine;
    if (place === 'waits') {
      await ifAlive(legs.hold(legId));
    } else {
      await ifAlive(legs.unhold(legId));
      await ifAlive(bridges.add(conference.id, legId));
    }
    this.#places.set(legId, place);
  }
}
