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
  /** Null while no voice can say it. */
  say(text: string, language: SpeechLanguage): Promise<MediaItem | null>;
}

/** What a project's customers are told before they are recorded. */
export class RecordingConsent {
  constructor(private readonly options: RecordingConsentOptions) {}

  /** @returns what is to be played, possibly nothing; null when it cannot be said: then nobody may be recorded. */
  async announcement(projectId: string): Promise<readonly MediaItem[] | null> {
    const project = await this.options.project(projectId);
    if (!project) return null;
    const languages = LANGUAGES[project.recording_announcement];
    const said = await Promise.all(languages.map((language) => this.options.say(ANNOUNCEMENT[language], language)));
    const items = said.filter((item) => item !== null);
    return items.length === said.length ? items : null;
  }
}
