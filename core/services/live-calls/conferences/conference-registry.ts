import type { CallRow } from '../../../data/rows.js';
import { newId } from '../../../model/ids.js';
import type { JoinConferenceCommand } from '../../../ports/command-bus.js';
import type { StoredConference } from '../../call-state/call-archive.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { ConferenceState } from '../../call-state/conference-state.js';

/** A conference owned by this process, and what has been done about it. */
export interface LiveConference {
  readonly conference: ConferenceState;
  /** Whether waiting participants were brought in after the start. */
  isStarted: boolean;
  /** Whether all participants were hung up. */
  isHungUp: boolean;
  /** Playbacks started by the API. */
  readonly played: string[];
  /** Legs that heard the announcement of the recording. */
  readonly informedLegs: Set<string>;
  /** Resolves once its bridge exists; null if none was requested. */
  bridge: Promise<void> | null;
}

/** The conferences owned by this process. */
export class ConferenceRegistry {
  readonly #held = new Map<string, LiveConference>();

  constructor(private readonly calls: LiveCalls) {}

  get(conferenceId: string): LiveConference | undefined {
    return this.#held.get(conferenceId);
  }

  /** @param read reads stored conferences that have not ended */
  async adopt(read: () => Promise<readonly StoredConference[]>): Promise<void> {
    // A conference that ends in this process meanwhile may still be read.
    const known = new Set(this.#held.keys());
    for (const { conference, participants } of await read()) {
      if (!known.has(conference.id)) this.hold(new ConferenceState(conference, participants));
    }
  }

  hold(conference: ConferenceState): LiveConference {
    const { isStarted, isOpen } = conference;
    const held = this.#held.get(conference.id) ?? {
      conference,
      isStarted: isStarted,
      isHungUp: !isOpen,
      played: [],
      informedLegs: new Set(),
      bridge: null,
    };
    this.#held.set(conference.id, held);
    return held;
  }

  drop({ conference }: LiveConference): void {
    this.#held.delete(conference.id);
  }

  /**
   * Returns the conference to join: the one with the given id (null if this process does not own it), or the one with
   * the given name, which is created if none is open.
   */
  find(call: CallRow, { conferenceId, name, maxParticipants }: JoinConferenceCommand): ConferenceState | null {
    if (conferenceId !== null) return this.get(conferenceId)?.conference ?? null;
    const isIt = ({ row, isOpen }: ConferenceState): boolean =>
      isOpen && row.project_id === call.project_id && row.sandbox === call.sandbox && row.name === name;
    const known = [...this.#held.values()].find(({ conference }) => isIt(conference));
    if (known) return known.conference;
    return new ConferenceState({
      id: newId(),
      organization_id: call.organization_id,
      project_id: call.project_id,
      engine_id: this.calls.options.engineId,
      sandbox: call.sandbox,
      name,
      max_participants: maxParticipants,
      created_at: this.calls.clock.now(),
      ended_at: null,
      emptied_at: null,
    });
  }

  /** Checks again after waiting for the engine: the conference may have ended meanwhile. */
  canBeJoined(held: LiveConference): boolean {
    return held.conference.isOpen && this.get(held.conference.id) === held;
  }
}
