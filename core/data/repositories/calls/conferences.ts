import type { ConferenceStatus } from '../../../model/call/conference.js';
import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { ConferenceRow, LegRow, ParticipantRow } from '../../rows.js';
import type { CallScope, Position } from './calls.js';

/** Filters conferences; absent or undefined members match everything. */
export interface ConferenceFilter {
  readonly status?: ConferenceStatus | undefined;
  readonly name?: string | undefined;
}

/** A conference, with whether it is being recorded. */
export type ConferenceView = ConferenceRow & { readonly recording: boolean };

const SEEN = `conferences.*, EXISTS (
  SELECT FROM recordings WHERE conference_id = conferences.id AND status IN ('recording', 'paused')
) AS recording`;

/** A participant with the state of its leg. */
export type ParticipantView = ParticipantRow & Pick<LegRow, 'muted' | 'on_hold'>;

export class Conferences {
  constructor(private readonly db: Database) {}

  /** Null for a malformed id and for a conference outside the scope. */
  async get(scope: CallScope, id: string): Promise<ConferenceView | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<ConferenceView>(
      `SELECT ${SEEN} FROM conferences WHERE id = $1 AND project_id = $2 AND (sandbox OR NOT $3)`,
      [id, scope.projectId, scope.sandboxOnly],
    );
    return row ?? null;
  }

  /** The project's open conference with this name. */
  async open(projectId: string, sandbox: boolean, name: string): Promise<ConferenceRow | null> {
    const [row] = await this.db.query<ConferenceRow>(
      `SELECT * FROM conferences
       WHERE project_id = $1 AND sandbox = $2 AND name = $3 AND ended_at IS NULL ORDER BY id DESC LIMIT 1`,
      [projectId, sandbox, name],
    );
    return row ?? null;
  }

  /**
   * Up to `limit` conferences after a position, newest first; new conferences do not shift the
   * pages.
   */
  async list(
    scope: CallScope,
    { status, name }: ConferenceFilter,
    { limit, after }: { readonly limit: number; readonly after?: Position | undefined },
  ): Promise<{ rows: ConferenceView[]; hasMore: boolean }> {
    const values: unknown[] = [];
    const value = (given: unknown): string => `$${values.push(given)}`;
    const terms = [`project_id = ${value(scope.projectId)}`];
    if (scope.sandboxOnly) terms.push('sandbox');
    if (status !== undefined) terms.push(status === 'active' ? 'ended_at IS NULL' : 'ended_at IS NOT NULL');
    if (name !== undefined) terms.push(`name = ${value(name)}`);
    if (after) terms.push(`(created_at, id) < (${value(after.createdAt)}, ${value(after.id)}::uuid)`);
    const rows = await this.db.query<ConferenceView>(
      `SELECT ${SEEN} FROM conferences WHERE ${terms.join(' AND ')}
       ORDER BY created_at DESC, id DESC LIMIT ${value(limit + 1)}`,
      values,
    );
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  /** Current and past participants of these conferences, each conference's in order of joining. */
  async participantsOf(conferenceIds: readonly string[]): Promise<ParticipantView[]> {
    if (conferenceIds.length === 0) return [];
    return this.db.query<ParticipantView>(
      `SELECT participant.*, legs.muted, legs.on_hold
       FROM conference_participants AS participant JOIN legs ON legs.id = participant.leg_id
       WHERE participant.conference_id = ANY ($1::uuid[])
       ORDER BY participant.conference_id, participant.id`,
      [conferenceIds],
    );
  }

  /** The conference that a request of this key added a call to, or null. */
  async joinedBy(projectId: string, keyId: string, requestId: string): Promise<ConferenceView | null> {
    const [row] = await this.db.query<ConferenceView>(
      `SELECT ${SEEN}
       FROM conference_participants AS participant JOIN conferences ON conferences.id = participant.conference_id
       WHERE participant.request_id = $3 AND conferences.project_id = $1 AND participant.requested_by = $2
       ORDER BY participant.id DESC LIMIT 1`,
      [projectId, keyId, requestId],
    );
    return row ?? null;
  }

  /** Null if it never existed. */
  async find(id: string): Promise<ConferenceRow | null> {
    const [row] = await this.db.query<ConferenceRow>(`SELECT * FROM conferences WHERE id = $1`, [id]);
    return row ?? null;
  }

  /**
   * An engine's conferences that still have participants, with all current and past participants. A
   * new owner adopts them.
   */
  async unfinished(
    engineId: string,
  ): Promise<{ readonly conference: ConferenceRow; readonly participants: readonly ParticipantRow[] }[]> {
    const conferences = await this.db.query<ConferenceRow>(
      `SELECT * FROM conferences WHERE engine_id = $1 AND emptied_at IS NULL ORDER BY id`,
      [engineId],
    );
    const participants = await this.db.query<ParticipantRow>(
      `SELECT * FROM conference_participants WHERE conference_id = ANY ($1::uuid[]) ORDER BY id`,
      [conferences.map(({ id }) => id)],
    );
    return conferences.map((conference) => ({
      conference,
      participants: participants.filter(({ conference_id }) => conference_id === conference.id),
    }));
  }
}
