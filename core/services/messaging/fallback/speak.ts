import type { MessageRow, ProjectRow } from '../../../data/rows.js';
import { HatifError } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import { spokenLanguageOf } from '../../../model/messaging/fallback.js';
import type { Clock } from '../../../ports/clock.js';
import { SpeechError, type Speech } from '../../../ports/speech.js';
import { speakAhead } from '../../audio/preparation.js';
import type { SystemCall } from '../../calls/system-call.js';

/** Calls the recipient of a message, and speaks its text twice. @throws HatifError if no call can be placed */
export type SpeakMessage = (message: MessageRow) => Promise<void>;

export interface SpeakMessageOptions {
  readonly calls: Pick<SystemCall, 'place'>;
  readonly speech: Speech;
  readonly project: (id: string) => Promise<Pick<ProjectRow, 'main_number'> | null>;
  readonly clock: Clock;
}

const RING_SECONDS = 45;
const MAX_SECONDS = RING_SECONDS + 180;

export function speakMessages({ calls, speech, project, clock }: SpeakMessageOptions): SpeakMessage {
  return async ({ organization_id, project_id, sandbox, recipient, body, created_by_key }) => {
    const text = body ?? '';
    const spoken = await speakAhead(speech, clock, [text], spokenLanguageOf(text)).catch((error: unknown) => {
      if (!(error instanceof SpeechError)) throw error;
      const reason = { en: 'no voice can speak the text now', ar: 'تعذّر تحويل النص إلى كلام الآن' };
      throw new HatifError('CALL_FAILED', { reason }, { cause: error });
    });
    const placer = {
      ...{ projectId: project_id, organizationId: organization_id, keyId: created_by_key ?? '' },
      ...{ mainNumber: (await project(project_id))?.main_number ?? null, requestId: newId() },
    };
    await calls.place(
      {
        ...{ to: recipient, program: { type: 'play', paths: [...spoken, ...spoken] }, sandbox },
        ...{ ringTimeoutSeconds: RING_SECONDS, maxDurationSeconds: MAX_SECONDS },
      },
      placer,
    );
  };
}
