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

/** Nobody listens to more in one call. */
const MOST_MESSAGES = 100;

/** An agent's box as its softphone hears it. A database that is away is told as null, or as a refusal. */
export class VoicemailByPhone {
  constructor(private readonly options: VoicemailByPhoneOptions) {}

  /** The time at which messages are introduced. */
  now(): Date {
    return this.options.clock.now();
  }

  /** The box of the agent's number; null where there is none that may be heard. */
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

  /** New ones first, each oldest first. */
  async list(box: NumberedBox): Promise<readonly StoredVoicemail[] | null> {
    return this.#read(() => this.options.voicemails.ofBox(box, MOST_MESSAGES));
  }

  /** Where engines can play the message until {@link forget}; null where its audio cannot be had. */
  async audioOf(message: StoredVoicemail): Promise<string | null> {
    const { messages, media, log } = this.options;
    try {
      return (await media.putTemporary(await messages.audio(message))).path;
    } catch (error) {
      if (!(error instanceof HatifError || error instanceof MediaError)) throw error;
      log.warn({ err: error, voicemailId: message.id }, 'a message cannot be played');
      return null;
    }
  }

  /** What was played is needed no more. */
  async forget(path: string): Promise<void> {
    await this.options.media.release(path).catch((error: unknown) => {
      this.options.log.warn({ err: error }, 'the copy of a message is left behind for some hours');
    });
  }

  async heard(message: StoredVoicemail): Promise<void> {
    const { voicemails, clock } = this.options;
    await this.#read(() => voicemails.markListened(message.id, clock.now()));
  }

  /** @returns whether it is gone. */
  async delete(message: StoredVoicemail): Promise<boolean> {
    const scope = { projectId: message.project_id, sandboxOnly: false };
    const deleted = await this.#read(async () => {
      try {
        await this.options.messages.delete(scope, message.id);
        return true;
      } catch (error) {
        // Somebody was quicker.
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
      this.options.log.warn({ err: error }, 'voicemail cannot be heard now: the database is away');
      return null;
    }
  }
}
