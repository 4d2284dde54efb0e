import type { Projects, RecordingPolicy } from '../../data/repositories/accounts/projects.js';
import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type { AuditRow, RecordingRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { isId } from '../../model/ids.js';
import type { AnyRecordingObject } from '../../model/objects/recording.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { AskedBy } from '../access/operator-audit.js';
import { presentAnyRecording } from '../call-state/presenting/recording.js';
import { auditRow } from './audit.js';
import type { DeleteRecordings } from './delete.js';

export interface ManageRecordingsOptions {
  readonly recordings: Recordings;
  readonly projects: Pick<Projects, 'setRecording'>;
  readonly remove: DeleteRecordings;
  readonly clock: Clock;
  /** Notifies the platform's processes that a setting changed. */
  readonly announce: () => Promise<void>;
}

const MAX_DAYS = 36_500;

/** The operator's operations on recordings. Each change by a command is recorded in the audit log here. */
export class ManageRecordings {
  constructor(private readonly options: ManageRecordingsOptions) {}

  /** A project's recordings, newest first; optionally only those of one call. @param before the last one of the page before */
  async list(
    projectId: string,
    callId: string | null,
    limit: number,
    before: string | null = null,
  ): Promise<AnyRecordingObject[]> {
    if (callId !== null && !isId(callId)) return [];
    return (await this.options.recordings.list(projectId, callId, limit, before)).map(presentAnyRecording);
  }

  /**
   * Puts a recording under legal hold, or releases it. Neither retention nor a request deletes a held recording.
   * @throws HatifError NOT_FOUND
   */
  async setLegalHold(
    projectId: string,
    id: string,
    hold: boolean,
    by: AskedBy = 'command',
  ): Promise<AnyRecordingObject> {
    const row = await this.#find(projectId, id);
    const audit = by === 'request' ? null : this.#audit(row, hold ? 'hold' : 'release');
    const held = await this.options.recordings.setLegalHold(projectId, id, hold, audit);
    if (!held) throw notFound(id);
    return presentAnyRecording(held);
  }

  /**
   * Deletes a recording.
   * @returns whether its audio is removed too; otherwise the sweep removes it when its storage is available.
   * @throws HatifError NOT_FOUND, and as {@link DeleteRecordings}
   */
  async delete(projectId: string, id: string, by: AskedBy = 'command'): Promise<boolean> {
    const { call_id, conference_id } = await this.#find(projectId, id);
    const { remove } = this.options;
    const scope = { projectId, sandboxOnly: false };
    const audit = by === 'request' ? undefined : (row: RecordingRow): AuditRow => this.#audit(row, 'delete');
    const { isAudioRemoved } =
      conference_id === null
        ? await remove.ofCall(scope, call_id, id, audit)
        : await remove.ofConference(scope, conference_id, id, audit);
    return isAudioRemoved;
  }

  /**
   * Sets for how many days a project keeps recordings (null: until they are deleted), and the language of the recording
   * announcement.
   */
  async setPolicy(projectId: string, policy: RecordingPolicy): Promise<void> {
    this.checkPolicy(policy);
    await this.options.projects.setRecording(projectId, policy);
    await this.options.announce();
  }

  /** @throws HatifError VALIDATION_ERROR */
  checkPolicy({ recording_retention_days: days }: RecordingPolicy): void {
    if (typeof days === 'number' && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS)) {
      throw invalidField('recording_retention_days', {
        en: `must be a number of days from 1 to ${MAX_DAYS}`,
        ar: arabic`يجب أن يكون عدد أيام من 1 إلى ${MAX_DAYS}`,
      });
    }
  }

  async #find(projectId: string, id: string): Promise<RecordingRow> {
    const row = await this.options.recordings.find(id);
    if (row?.project_id !== projectId) throw notFound(id);
    return row;
  }

  #audit(row: RecordingRow, action: 'hold' | 'release' | 'delete'): AuditRow {
    return auditRow(row, this.options.clock.now(), { method: 'CLI', route: `hatif recordings ${action}`, status: 200 });
  }
}

function notFound(id: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the recording ${id}`, ar: arabic`التسجيل ${id}` } });
}
