import type { Projects, RecordingPolicy } from '../../data/repositories/accounts/projects.js';
import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type { AuditRow, RecordingRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { isId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { auditRow } from './audit.js';
import type { DeleteRecordings } from './delete.js';
import { presentAnyRecording, type AnyRecordingObject } from '../call-state/presenting/recording.js';

export interface ManageRecordingsOptions {
  readonly recordings: Recordings;
  readonly projects: Pick<Projects, 'setRecording'>;
  readonly remove: DeleteRecordings;
  readonly clock: Clock;
  /** Tells the platform's processes that something was set. */
  readonly announce: () => Promise<void>;
}

const LONGEST_DAYS = 36_500;

/** What only the operator does with recordings. Each act is written down. */
export class ManageRecordings {
  constructor(private readonly options: ManageRecordingsOptions) {}

  /** A project's, newest first; of one call where one is named. */
  async list(projectId: string, callId: string | null, limit: number): Promise<AnyRecordingObject[]> {
    if (callId !== null && !isId(callId)) return [];
    return (await this.options.recordings.list(projectId, callId, limit)).map(presentAnyRecording);
  }

  /**
   * Put a recording under legal hold, or release it: held, neither retention nor a request deletes it.
   * @throws HatifError NOT_FOUND
   */
  async setLegalHold(projectId: string, id: string, hold: boolean): Promise<AnyRecordingObject> {
    const row = await this.#find(projectId, id);
    const audit = this.#audit(row, hold ? 'hold' : 'release');
    const held = await this.options.recordings.setLegalHold(projectId, id, hold, audit);
    if (!held) throw notFound(id);
    return presentAnyRecording(held);
  }

  /**
   * @returns whether its audio is gone too; otherwise it goes when its storage is back.
   * @throws HatifError NOT_FOUND, and as {@link DeleteRecordings}
   */
  async delete(projectId: string, id: string): Promise<boolean> {
    const { call_id, conference_id } = await this.#find(projectId, id);
    const { remove } = this.options;
    const scope = { projectId, sandboxOnly: false };
    const audit = (row: RecordingRow): AuditRow => this.#audit(row, 'delete');
    const { audioGone } =
      conference_id === null
        ? await remove.ofCall(scope, call_id, id, audit)
        : await remove.ofConference(scope, conference_id, id, audit);
    return audioGone;
  }

  /** For how many days a project keeps recordings (null: until they are deleted), and in what language customers are told of them. */
  async setPolicy(projectId: string, policy: RecordingPolicy): Promise<void> {
    const { recording_retention_days: days } = policy;
    if (typeof days === 'number' && !(Number.isInteger(days) && days >= 1 && days <= LONGEST_DAYS)) {
      throw invalidField('recording_retention_days', {
        en: `must be a number of days from 1 to ${LONGEST_DAYS}`,
        ar: arabic`يجب أن يكون عدد أيام من 1 إلى ${LONGEST_DAYS}`,
      });
    }
    await this.options.projects.setRecording(projectId, policy);
    await this.options.announce();
  }

  async #find(projectId: string, id: string): Promise<RecordingRow> {
    const row = await this.options.recordings.find(id);
    if (row?.project_id !== projectId) throw notFound(id);
    return row;
  }

  #audit(row: RecordingRow, act: 'hold' | 'release' | 'delete'): AuditRow {
    return auditRow(row, this.options.clock.now(), { method: 'CLI', route: `hatif recordings ${act}`, status: 200 });
  }
}

function notFound(id: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the recording ${id}`, ar: arabic`التسجيل ${id}` } });
}
