import type { ProjectKind } from '../../data/repositories/project-kind.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { MediaError, type MediaStore } from '../../ports/media-store.js';
import { SpeechError, type Speech, type SpeechLanguage } from '../../ports/speech.js';
import { mediaReason } from '../audio/media-reason.js';
import { speakAhead, storedInTime } from '../audio/preparation.js';

/** Where audio for a call comes from. */
export type AudioSource =
  | { readonly url: string }
  | { readonly audioId: string }
  | { readonly text: string; readonly language: SpeechLanguage };

export interface PrepareAudioOptions {
  readonly media: MediaStore;
  readonly speech: Speech;
  readonly clock: Clock;
  /** Whether the project has this uploaded audio, and it is of this kind. */
  readonly hasAudio: (of: ProjectKind, audioId: string) => Promise<boolean>;
}

/** Stores audio on disk before it is played, so that the listener does not wait in silence. */
export class PrepareAudio {
  constructor(private readonly options: PrepareAudioOptions) {}

  /**
   * @param field path of the source in the request, for errors: `play` or empty
   * @returns the path that engines play
   * @throws HatifError INVALID_PLAY_URL, VALIDATION_ERROR for an unknown audio, CALL_FAILED if the platform cannot
   * prepare audio at present
   */
  async prepare(source: AudioSource, of: ProjectKind, field = ''): Promise<string> {
    const { media, speech, clock, hasAudio } = this.options;
    if ('url' in source) {
      try {
        return (await storedInTime(clock, media.fetch(source.url, of.projectId))).path;
      } catch (error) {
        if (!(error instanceof MediaError)) throw error;
        // The failure is the platform's, not the URL's.
        if (error.problem === 'unavailable')
          throw new HatifError('CALL_FAILED', { reason: mediaReason(error) }, { cause: error });
        throw new HatifError('INVALID_PLAY_URL', { reason: mediaReason(error) }, { cause: error });
      }
    }
    if ('audioId' in source) {
      if (await hasAudio(of, source.audioId)) return media.pathOf(source.audioId);
      throw invalidField(field === '' ? 'audio_id' : `${field}.audio_id`, {
        en: 'is not an audio file of this project',
        ar: 'ليس ملفًا صوتيًّا في هذا المشروع',
      });
    }
    try {
      const [path = ''] = await speakAhead(speech, clock, [source.text], source.language);
      return path;
    } catch (error) {
      if (!(error instanceof SpeechError)) throw error;
      const reason = { en: 'no voice can speak the text now', ar: 'تعذّر تحويل النص إلى كلام الآن' };
      throw new HatifError('CALL_FAILED', { reason }, { cause: error });
    }
  }
}
