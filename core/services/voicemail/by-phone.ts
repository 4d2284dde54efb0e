import { DatabaseUnavailable } from '../../data/errors.js';
import type { NumberedBox, PinOutcome, VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { StoredVoicemail, Voicemails } from '../../data/repositories/voicemail/voicemails.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { MediaError, type MediaStore } from '../../ports/media-store.js';
import type { VoicemailBoxLookup } from './box-lookup.js';
import type { VoicemailService } from './messages.js';
import type { VoicemailPins } from './pins.js';

export interface VoicemailByPhoneOptions {
  readonly boxLookup: VoicemailBoxLookup;
  readonly table: Pick<VoicemailBoxes, 'ofAgent'>;
  readonly pins: Pick<VoicemailPins, 'try'>;
  readonly voicemails: Voicemails;
  readonly messages: VoicemailService;
  readonly media: Pick<MediaStore, 'putTemporary' | 'release'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Maximum messages that one call offers. */
const MAX_MESSAGES = 100;

/**
 * Gives an agent's softphone access to the agent's voicemail box. While the database is unavailable, methods return
 * null or refuse.
 */
export class VoicemailByPhone {
  constructor(private readonly options: VoicemailByPhoneOptions) {}

  /** The time at which messages are announced. */
  now(): Date {
    return this.options.clock.now();
  }

  /** The box of the agent's number; null if there is none or voicemail is switched off. */
  async boxOf(projectId: string, agent: string): Promise<NumberedBox | null> {
    const { table, boxLookup } = this.options;
    return this.#read(async () => {
      const box = await table.ofAgent(projectId, agent);
      return box && (await boxLookup.isOn(box.organization_id)) ? box : null;
    });
  }

  async tryPin(box: NumberedBox, pin: string): Promise<PinOutcome> {
    return (await this.#read(() => this.options.pins.try(box.number_id, pin))) ?? 'wrong';
  }

  /** New messages first, each group oldest first. */
  async list(box: NumberedBox): Promise<readonly StoredVoicemail[] | null> {
    return this.#read(() => this.options.voicemails.ofBox(box, MAX_MESSAGES));
  }

  /** A path from which engines can play the message until {@link release}; null if its audio is unavailable. */
  async audioOf(message: StoredVoicemail): Promise<string | null> {
    const { messages, media, log } = this.options;
    try {
      return (await media.putTemporary(await messages.audio(message), message.project_id)).path;
    } catch (error) {
      if (!(error instanceof HatifError || error instanceof MediaError)) throw error;
      log.warn({ err: error, voicemailId: message.id }, 'failed to load the audio of a voicemail message');
      return null;
    }
  }

  /** Deletes the temporary copy after playback. */
  async release(path: string): Promise<void> {
    await this.options.media.release(path).catch((error: unknown) => {
      this.options.log.warn(
        { err: error },
        'failed to delete the temporary copy of a voicemail message; it expires in some hours',
      );
    });
  }

  async markListened(message: StoredVoicemail): Promise<void> {
    const { voicemails, clock } = this.options;
    await this.#read(() => voicemails.markListened(message.id, clock.now()));
  }

  /** @returns whether the message is deleted. */
  async delete(message: StoredVoicemail): Promise<boolean> {
    const scope = { projectId: message.project_id, sandboxOnly: false };
    const deleted = await this.#read(async () => {
      try {
        await this.options.messages.delete(scope, message.id);
        return true;
      } catch (error) {
        // A concurrent request has already deleted it.
        if (error instanceof HatifError) return error.code === 'VOICEMAIL_NOT_FOUND';
        throw error;
      }
    });
    return deleted ?? false;
  }

  async #read<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.options.log.warn({ err: error }, 'voicemail is unavailable: the database is unavailable');
      return null;
    }
  }
}
