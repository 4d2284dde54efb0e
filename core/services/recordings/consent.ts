import { unlessUnavailable } from '../../data/errors.js';
import type { ProjectRow, RecordingAnnouncement } from '../../data/rows.js';
import type { MediaItem } from '../../ports/engine.js';
import type { SpeechLanguage } from '../../ports/speech.js';

const ANNOUNCEMENT: Readonly<Record<SpeechLanguage, string>> = {
  ar: 'نودّ إشعارك بأن هذه المكالمة مسجّلة.',
  en: 'This call is recorded.',
};

const LANGUAGES: Readonly<Record<RecordingAnnouncement, readonly SpeechLanguage[]>> = {
  off: [],
  ar: ['ar'],
  en: ['en'],
  both: ['ar', 'en'],
};

export interface RecordingConsentOptions {
  project(projectId: string): Promise<Pick<ProjectRow, 'recording_announcement'> | null>;
  /** Null while speech synthesis is unavailable. */
  synthesize(text: string, language: SpeechLanguage): Promise<MediaItem | null>;
}

/** The announcement that a project's customers hear before they are recorded. */
export class RecordingConsent {
  constructor(private readonly options: RecordingConsentOptions) {}

  /** The languages in which the project speaks to its own agents: those of its announcement, or both. */
  async languages(projectId: string): Promise<readonly SpeechLanguage[]> {
    const project = await unlessUnavailable(this.options.project(projectId), () => null);
    const announced = project?.recording_announcement ?? 'off';
    return LANGUAGES[announced === 'off' ? 'both' : announced];
  }

  /**
   * @returns the items to play, possibly none; null if the announcement cannot be synthesized: then nothing may be
   * recorded.
   */
  async announcement(projectId: string): Promise<readonly MediaItem[] | null> {
    const project = await this.options.project(projectId);
    if (!project) return null;
    const languages = LANGUAGES[project.recording_announcement];
    const spoken = await Promise.all(
      languages.map((language) => this.options.synthesize(ANNOUNCEMENT[language], language)),
    );
    const items = spoken.filter((item) => item !== null);
    return items.length === spoken.length ? items : null;
  }
}
