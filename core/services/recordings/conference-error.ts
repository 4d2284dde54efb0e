import { HatifError } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';

/** The error for a conference without a recording. */
export function conferenceNotRecorded(conferenceId: string): HatifError {
  const call_id = { en: `of the conference ${conferenceId}`, ar: arabic`الجماعية ${conferenceId}` };
  return new HatifError('RECORDING_NOT_FOUND', { call_id });
}

export function conferenceNotFound(conferenceId: string): HatifError {
  return new HatifError('CONFERENCE_NOT_FOUND', { conference_id: conferenceId });
}
