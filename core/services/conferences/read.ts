import type { ConferenceObject } from '../../model/objects/conference.js';
import type {
  ConferenceFilter,
  Conferences,
  ConferenceView,
  ParticipantView,
} from '../../data/repositories/calls/conferences.js';
import type { CallScope } from '../../data/repositories/calls/calls.js';
import { readPosition, writePosition } from '../calls/read.js';
import { conferenceNotFound } from '../recordings/conference-error.js';
import { presentConference } from '../call-state/presenting/conference.js';

/** Conferences as the API shows them. */
export class ReadConferences {
  constructor(private readonly conferences: Conferences) {}

  /** @throws HatifError CONFERENCE_NOT_FOUND, also for a conference of another project. */
  async get(scope: CallScope, conferenceId: string): Promise<ConferenceObject> {
    return this.#present(await this.find(scope, conferenceId));
  }

  /** @throws HatifError CONFERENCE_NOT_FOUND */
  async find(scope: CallScope, conferenceId: string): Promise<ConferenceView> {
    const row = await this.conferences.get(scope, conferenceId);
    if (!row) throw conferenceNotFound(conferenceId);
    return row;
  }

  /** @throws HatifError CONFERENCE_NOT_FOUND, also if the conference never had such a participant */
  async participant(conferenceId: string, participantId: string): Promise<ParticipantView> {
    const participants = await this.conferences.participantsOf([conferenceId]);
    const found = participants.find(({ id }) => id === participantId);
    if (!found) throw conferenceNotFound(conferenceId);
    return found;
  }

  /** Returns the conference that a request put a call into before its process died, or null if it joined none. */
  async joinedBy(projectId: string, keyId: string, requestId: string): Promise<ConferenceObject | null> {
    const row = await this.conferences.joinedBy(projectId, keyId, requestId);
    return row && this.#present(row);
  }

  /**
   * Returns one page by cursor, newest first. @param position end of the previous page, as returned by this method;
   * `next` is null on the last page
   */
  async list(
    scope: CallScope,
    filter: ConferenceFilter,
    position: string | null,
    limit: number,
  ): Promise<{ items: ConferenceObject[]; next: string | null }> {
    const after = position === null ? undefined : readPosition(position);
    const { rows, hasMore } = await this.conferences.list(scope, filter, { limit, after });
    const last = rows.at(-1);
    const participants = await this.conferences.participantsOf(rows.map((row) => row.id));
    return {
      items: rows.map((row) =>
        presentConference(
          row,
          participants.filter(({ conference_id }) => conference_id === row.id),
        ),
      ),
      next: hasMore && last ? writePosition(last) : null,
    };
  }

  async #present(row: ConferenceView): Promise<ConferenceObject> {
    return presentConference(row, await this.conferences.participantsOf([row.id]));
  }
}
