import type { Database, Queryable } from '../../database.js';
import { projectsOf } from '../../models/tables.js';
import type { Destination, ProjectRow } from '../../rows.js';

/** How long a project keeps recordings, and what it announces to callers. */
export type RecordingPolicy = Partial<Pick<ProjectRow, 'recording_retention_days' | 'recording_announcement'>>;

/** What a project may call, and how many calls it may have at once; absent members stay unchanged. */
export type CallLimits = Partial<Pick<ProjectRow, 'destination_classes' | 'max_calls'>>;

export class Projects {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = projectsOf(db);
  }

  create(row: ProjectRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  get(id: string): Promise<ProjectRow | null> {
    return this.#table.findOne({ id });
  }

  /** All projects, oldest first. */
  list(): Promise<ProjectRow[]> {
    return this.#table.find({}, ['id']);
  }

  /** The projects of an organization, oldest first, without those that were removed. */
  listOf(organizationId: string): Promise<ProjectRow[]> {
    return this.db.query<ProjectRow>(
      `SELECT * FROM projects WHERE organization_id = $1 AND removed_at IS NULL ORDER BY id`,
      [organizationId],
    );
  }

  /** Absent members stay unchanged. */
  async setRecording(id: string, change: RecordingPolicy): Promise<void> {
    await this.#table.update({ id }, change);
  }

  async setCallLimits(id: string, change: CallLimits): Promise<void> {
    await this.#table.update({ id }, change);
  }

  /** Sets the caller id of calls that name none. */
  async setMainNumber(id: string, e164: string | null): Promise<void> {
    await this.#table.update({ id }, { main_number: e164 });
  }

  async setDefaultDestination(id: string, destination: Destination | null): Promise<void> {
    await this.#table.update({ id }, { default_destination: destination });
  }
}
