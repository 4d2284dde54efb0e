import { EngineError, type MediaItem } from '../../../ports/engine.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { RecordingConsent } from '../../recordings/consent.js';
import type { LiveCall } from '../call/live-call.js';

/**
 * Calls that are recorded from their answer on: starts the recording, then plays the announcement so that it is
 * recorded too, and only then starts the call's program. If the project's announcement cannot be played, the call
 * continues unrecorded.
 */
export class RecordedStart {
  constructor(private readonly consent: Pick<RecordingConsent, 'announcement'>) {}

  /** Runs at the customer's answer. Calls `goOn` now, or once the announcement was heard. */
  async begin(live: LiveCall, goOn: () => Promise<void>): Promise<void> {
    const customer = live.leg('customer');
    if (!isWaiting(live) || !customer) return goOn();
    const items = await this.consent.announcement(live.state.row.project_id);
    if (items === null) {
      live.note('recording.not_announced');
      return goOn();
    }
    try {
      await live.recordings.start(customer.legId, 2, null, live.state.row.options.transcribe);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      live.note('recording.refused', { kind: error.kind });
    }
    if (items.length === 0) return this.#through(live, goOn);
    await this.#announce(live, customer.legId, items, goOn);
  }

  /**
   * @returns whether the event is not for the call's program: it is the announcement's own, or comes before the
   * announcement's end
   */
  async takes(live: LiveCall, event: LegEvent): Promise<boolean> {
    const { announcing } = live;
    if (!announcing || event.type === 'leg.ended') return false;
    if (event.type !== 'play.finished' || event.playbackId !== announcing.playbackId) return true;
    if (event.outcome === 'stopped') {
      // Cut off by a hold, and so played again; or by the customer's hang-up, whose event comes next.
      await this.#announce(live, event.legId, announcing.items, () => announcing.goOn());
    } else {
      live.announcing = null;
      await this.#through(live, () => announcing.goOn());
    }
    return true;
  }

  async #announce(
    live: LiveCall,
    legId: string,
    items: readonly MediaItem[],
    goOn: () => Promise<void>,
  ): Promise<void> {
    live.announcing = { playbackId: await live.play(legId, items), items, goOn };
  }

  #through(live: LiveCall, goOn: () => Promise<void>): Promise<void> {
    live.noteRecordedStart();
    return goOn();
  }
}

/** Whether the call is answered and to be recorded, and its customer has not been informed. */
function isWaiting(live: LiveCall): boolean {
  return live.state.row.options.record && live.status === 'answered' && !live.isRecordedStartDone;
}
