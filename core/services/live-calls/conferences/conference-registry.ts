import type { CallRow } from '../../../data/rows.js';
import { newId } from '../../../model/ids.js';
import type { JoinConferenceCommand } from '../../../ports/command-bus.js';
import type { StoredConference } from '../../call-state/call-archive.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { ConferenceState } from '../../call-state/conference-state.js';

/** A conference in this process's hands, and what has been done about it. */
export interface LiveConference {
  readonly conference: ConferenceState;
  /** Who waited for the beginning was brought in. */
  isBegun: boolean;
  /** Everybody was let go. */
  isDismissed: boolean;
  /** What the API had played. */
  readonly played: string[];
  /** Whose legs know that the conference is recorded. */
  readonly told: Set<string>;
  /** Its bridge is there, or on its way. */
  bridge: Promise<void> | null;
}

/** The conferences in this process's hands. */
export class ConferenceRegistry {
  readonly #held = new Map<string, LiveConference>();

  constructor(private readonly calls: LiveCalls) {}

  get(conferenceId: string): LiveConference | undefined {
    return this.#held.get(conferenceId);
  }

  /** @param read what is written down of conferences that are not over. */
  async adopt(read: () => Promise<readonly StoredConference[]>): Promise<void> {
    // One that ends in these hands meanwhile may still be read.
    const inHand = new Set(this.#held.keys());
    for (const { conference, participants } of await read()) {
      if (!inHand.has(conference.id)) this.hold(new ConferenceState(conference, participants));
    }
  }

  hold(conference: ConferenceState): LiveConference {
    const { isStarted, isOpen } = conference;
    const held = this.#held.get(conference.id) ?? {
      conference,
      isBegun: isStarted,
      isDismissed: !isOpen,
      played: [],
      told: new Set(),
      bridge: null,
    };
    this.#held.set(conference.id, held);
    return held;
  }

  drop({ conference }: LiveConference): void {
    this.#held.delete(conference.id);
  }

  /** What the call is to join: the conference of that id, null for one that is not in these hands (yet); or that of the name, old or new. */
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

  /** It may have ended while somebody waited for the engine. */
  canBeJoined(held: LiveConference): boolean {
    return held.conference.isOpen && this.get(held.conference.id) === held;
  }
}
