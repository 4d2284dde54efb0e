import type { Engine } from '../../../ports/engine.js';
import { ignoringEndedLeg } from './ignoring-ended-leg.js';
import type { ConferenceState } from '../../call-state/conference-state.js';

/** Where a call's legs are in its conference: in the bridge that has the conference's id, or waiting with music. */
export class ConferenceLegs {
  readonly #places = new Map<string, 'talks' | 'waits'>();

  constructor(private readonly engine: Engine) {}

  /** Records that the engine already has the leg in the conference's bridge. */
  found(legId: string): void {
    this.#places.set(legId, 'talks');
  }

  /** Whether the leg is in the bridge with the others. */
  talks(legId: string): boolean {
    return this.#places.get(legId) === 'talks';
  }

  /** Records that the leg was moved elsewhere. */
  leave(legId: string): void {
    this.#places.delete(legId);
  }

  /** Moves the leg to its current place, if it is not there. */
  async take(conference: ConferenceState, legId: string): Promise<void> {
    const place = conference.isStarted ? 'talks' : 'waits';
    if (this.#places.get(legId) === place) return;
    const { legs, bridges } = this.engine;
    if (place === 'waits') {
      await ignoringEndedLeg(legs.hold(legId));
    } else {
      await ignoringEndedLeg(legs.unhold(legId));
      await ignoringEndedLeg(bridges.add(conference.id, legId));
    }
    this.#places.set(legId, place);
  }
}
