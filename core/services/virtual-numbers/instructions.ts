import type { Instructions, VirtualNumberRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { MediaError, type MediaStore } from '../../ports/media-store.js';
import type { Speech, SpeechLanguage } from '../../ports/speech.js';
import { mediaReason } from '../audio/media-reason.js';
import { speakAhead, storedInTime } from '../audio/preparation.js';

/** What calls to a virtual number hear, and where they are forwarded; numbers are in E.164. */
export interface GivenInstructions {
  readonly text: string | null;
  readonly audioUrl: string | null;
  readonly language: SpeechLanguage | null;
  readonly forwardTo: string | null;
}

export interface PrepareInstructionsOptions {
  readonly media: MediaStore;
  readonly speech: Speech;
  /** @throws HatifError INVALID_PHONE_NUMBER for a number that may not be called */
  readonly checkDestination: (number: string, field: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export type PreparedInstructions = Pick<VirtualNumberRow, 'instructions' | 'audio_id' | 'audio_path'>;

/** Prepares instructions before the first call: stores the audio, and synthesizes the text once. */
export class PrepareInstructions {
  constructor(private readonly options: PrepareInstructionsOptions) {}

  /**
   * @param forwardField path of `forwardTo` in the request, for errors
   * @throws HatifError INVALID_PHONE_NUMBER, INVALID_PLAY_URL, CALLFLOW_AUDIO_SERVICE_UNAVAILABLE
   */
  async prepare(
    given: GivenInstructions,
    projectId: string,
    forwardField = 'instructions.forward_to',
  ): Promise<PreparedInstructions> {
    const { text, audioUrl, language, forwardTo } = given;
    const { checkDestination, speech, clock, log } = this.options;
    if (forwardTo !== null) await checkDestination(forwardTo, forwardField);
    const instructions: Instructions = {
      text,
      audio_url: audioUrl,
      language: text === null ? language : (language ?? languageOf(text)),
      forward_to: forwardTo,
    };
    if (text !== null) {
      // Cached by its content. If no voice is available now, the call tries again.
      await speakAhead(speech, clock, [text], instructions.language ?? languageOf(text)).catch((error: unknown) =>
        log.warn({ err: error }, 'synthesizing the text of a virtual number failed; its calls will retry'),
      );
    }
    if (audioUrl === null) return { instructions, audio_id: null, audio_path: null };
    return { instructions, ...(await this.#keep(audioUrl, projectId)) };
  }

  /** Removes audio that is no longer used. */
  async discard(audioId: string | null): Promise<void> {
    if (audioId === null) return;
    const { media, log } = this.options;
    await media.remove(audioId).catch((error: unknown) => log.warn({ err: error }, 'failed to remove audio'));
  }

  async #keep(url: string, projectId: string): Promise<Pick<PreparedInstructions, 'audio_id' | 'audio_path'>> {
    const audio_id = newId();
    const { media, clock } = this.options;
    const stored = media.fetchAs(audio_id, url, projectId);
    try {
      return { audio_id, audio_path: (await storedInTime(clock, stored)).path };
    } catch (error) {
      // If it is only late, it must not stay in the media store.
      void stored.then(() => media.remove(audio_id)).catch(() => undefined);
      if (!(error instanceof MediaError)) throw error;
      if (error.problem === 'unavailable') {
        throw new HatifError('CALLFLOW_AUDIO_SERVICE_UNAVAILABLE', {}, { cause: error });
      }
      throw new HatifError('INVALID_PLAY_URL', { reason: mediaReason(error) }, { cause: error });
    }
  }
}

/** Arabic if the text contains an Arabic letter. */
function languageOf(text: string): SpeechLanguage {
  return /\p{Script=Arabic}/u.test(text) ? 'ar' : 'en';
}
