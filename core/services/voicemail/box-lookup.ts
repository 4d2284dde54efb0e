import { DatabaseUnavailable } from '../../data/errors.js';
import type { NumberedBox, VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { OrganizationRow } from '../../data/rows.js';
import type { MediaItem } from '../../ports/engine.js';
import type { MediaStore } from '../../ports/media-store.js';
import type { Logger } from '../../ports/logger.js';
import type { Prompts } from '../call-state/program.js';

export interface VoicemailBoxLookupOptions {
  readonly boxes: Pick<VoicemailBoxes, 'get'>;
  readonly organization: (organizationId: string) => Promise<Pick<OrganizationRow, 'flags'> | null>;
  /** The installation's default; an organization's own flag takes precedence. */
  readonly isOn: boolean;
  readonly hasAudio: (of: ProjectKind, audioId: string) => Promise<boolean>;
  readonly media: Pick<MediaStore, 'pathOf'>;
  readonly prompts: Prompts;
  readonly log: Logger;
}

/** Looks up voicemail boxes for calls. */
export class VoicemailBoxLookup {
  constructor(private readonly options: VoicemailBoxLookupOptions) {}

  /** The box if callers can leave a message in it now; otherwise null, also while the database is unavailable. */
  async open(numberId: string): Promise<NumberedBox | null> {
    try {
      const box = await this.options.boxes.get(numberId);
      return box?.enabled === true && (await this.isOn(box.organization_id)) ? box : null;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.options.log.warn({ err: error, numberId }, 'a voicemail box is unavailable: the database is unavailable');
      return null;
    }
  }

  /** Whether voicemail is enabled for the organization. */
  async isOn(organizationId: string): Promise<boolean> {
    return (await this.options.organization(organizationId))?.flags.voicemail ?? this.options.isOn;
  }

  /** The greeting that callers hear; null if the box has no greeting that can be played. */
  async greeting({ greeting, project_id: projectId, sandbox }: NumberedBox): Promise<MediaItem | null> {
    const { media, prompts, hasAudio } = this.options;
    switch (greeting?.type) {
      case undefined:
        return null;
      case 'text':
        return prompts.say(greeting.text, greeting.language);
      case 'audio':
        // The file may have been deleted since.
        return (await hasAudio({ projectId, sandbox }, greeting.audio_id))
          ? { type: 'file', path: media.pathOf(greeting.audio_id) }
          : null;
      case 'copy':
        return { type: 'file', path: media.pathOf(greeting.media_id) };
    }
  }
}
