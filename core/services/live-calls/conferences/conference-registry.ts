import type { CallRow } from '../../../data/rows.js';
import { newId } from '../../../model/ids.js';
import type { CallCommand } from '../../../ports/command-bus.js';
import type { WrittenConference } from '../../call-state/call-archive.js';
import type { LiveCalls } from '../calls/live-calls.js';
import { Conference } from '../../call-state/conference-state.js';

export type Join = Extract<CallCommand, { type: 'join_conference' }>;

/** A conference in this process's hands, and what has been done about it. */
export interface Held {
  readonly conference: Conference;
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
export class ConferenceBook {
  readonly #held = new Map<string, Held>();

  constructor(private readonly calls: LiveCalls) {}

  get(conferenceId: string): Held | undefined {
    return this.#held.get(conferenceId);
  }

  /** @param read what is written down of conferences that are not over. */
  async adopt(read: () => Promise<readonly WrittenConference[]>): Promise<void> {
    // One that ends in these hands meanwhile may still be read.
    const inHand = new Set(this.#held.keys());
    for (const { conference, participants } of await read()) {
      if (!inHand.has(conference.id)) this.hold(new Conference(conference, participants));
    }
  }

  hold(conference: Conference): Held {
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

  drop({ conference }: Held): void {
    this.#held.delete(conference.id);
  }

  /** What the call is to join: the conference of that id, null for one that is not in these hands (yet); or that of the name, old or new. */
  find(call: CallRow, { conferenceId, name, maxParticipants }: Join): Conference | null {
    if (conferenceId !== null) return this.get(conferenceId)?.conference ?? null;
    const isIt = ({ row, isOpen }: Conference): boolean =>
      isOpen && row.project_id === call.project_id && row.sandbox === call.sandbox && row.name === name;
    const known = [...this.#held.values()].find(({ conference }) => isIt(conference));
    if (known) return known.conference;
    return new Conference({
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
  canBeJoined(held: Held): boolean {
    return held.conference.isOpen && this.get(held.conference.id) === held;
  }
}
