import type { BoxSettings, NumberedBox, VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { GreetingRow, NotifyMessage, NumberRow } from '../../data/rows.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { MediaError, type AudioInput, type MediaStore } from '../../ports/media-store.js';
import { mediaReason } from '../audio/media-reason.js';
import type { VoicemailPins } from './pins.js';
import { presentBox, type VoicemailBoxObject } from './present.js';
import { defaultBox } from './default-box.js';

/** A greeting in a request: exactly one of text (with its language), audio_id and audio_url. */
export interface NewGreeting {
  readonly text?: string | undefined;
  readonly audio_id?: string | undefined;
  readonly audio_url?: string | undefined;
  readonly language?: 'ar' | 'en' | undefined;
}

export interface NewBox extends Pick<
  BoxSettings,
  'enabled' | 'max_seconds' | 'transcribe' | 'notify_email' | 'notify_audio'
> {
  readonly greeting: NewGreeting | null;
  readonly notify_message: Omit<NotifyMessage, 'since'> | null;
  /** Null removes the PIN; undefined leaves it unchanged. */
  readonly pin?: string | null | undefined;
}

export interface VoicemailBoxServiceOptions {
  readonly boxes: VoicemailBoxes;
  readonly numbers: Pick<Numbers, 'get'>;
  readonly media: MediaStore;
  readonly hasAudio: (of: ProjectKind, audioId: string) => Promise<boolean>;
  readonly pins: Pick<VoicemailPins, 'hash'>;
  readonly clock: Clock;
}

const ONE_SOURCE: Phrase = {
  en: 'exactly one of text, audio_id and audio_url is required',
  ar: 'يلزم واحد فقط من `text` و`audio_id` و`audio_url`',
};
const LANGUAGE_WITH_TEXT: Phrase = { en: 'language is required with text', ar: 'الحقل `language` مطلوب مع `text`' };
const MAX_GREETING_MS = 300_000;
const TOO_LONG: Phrase = { en: 'it is longer than five minutes', ar: 'مدتها أطول من خمس دقائق' };
const NO_SUCH_AUDIO: Phrase = {
  en: 'audio_id is not an audio file of this project',
  ar: 'المعرّف في `audio_id` ليس لملف صوتيًّا في هذا المشروع',
};

/** Manages the voicemail boxes of a project's numbers. */
export class VoicemailBoxService {
  constructor(private readonly options: VoicemailBoxServiceOptions) {}

  /** Returns the box; a box that was never configured is disabled. @throws HatifError NUMBER_NOT_FOUND */
  async get(of: ProjectKind, numberId: string): Promise<VoicemailBoxObject> {
    const number = await this.#number(of, numberId);
    return presentBox((await this.options.boxes.get(numberId)) ?? defaultBox(number));
  }

  /** @throws HatifError NUMBER_NOT_FOUND, VOICEMAIL_GREETING_INVALID, VOICEMAIL_SERVICE_UNAVAILABLE */
  async put(of: ProjectKind, numberId: string, input: NewBox): Promise<VoicemailBoxObject> {
    const { boxes, clock } = this.options;
    const number = await this.#number(of, numberId);
    const before = await boxes.get(numberId);
    const { enabled, max_seconds, transcribe, notify_email, notify_audio, pin } = input;
    const greeting = input.greeting && (await this.#greeting(of, input.greeting, before?.greeting ?? null));
    const pin_hash =
      pin === undefined ? (before?.pin_hash ?? null) : pin === null ? null : this.options.pins.hash(numberId, pin);
    const owner = { number_id: number.id, organization_id: number.organization_id, project_id: number.project_id };
    await boxes.put(
      owner,
      {
        ...{ enabled, greeting, max_seconds, transcribe, notify_email, notify_audio, pin_hash },
        notify_message: notifyOf(input.notify_message, before?.notify_message ?? null, clock.now()),
      },
      clock.now(),
    );
    await this.#removeOldCopy(before?.greeting ?? null, greeting);
    return this.get(of, numberId);
  }

  /** Describes for people whose greeting an uploaded audio file is; null if it is not a greeting. */
  readonly audioUse = async (projectId: string, audioId: string): Promise<Phrase | null> => {
    const number = await this.options.boxes.greetingWith(projectId, audioId);
    return number === null ? null : { en: `the voicemail of ${number}`, ar: arabic`البريد الصوتي للرقم ${number}` };
  };

  /** Makes a greeting recorded by phone the box's greeting. @param wav any WAV file @throws MediaError */
  async setSpokenGreeting(box: NumberedBox, wav: Uint8Array): Promise<void> {
    const greeting = await this.#copy(box.project_id, wav, null, null);
    await this.options.boxes.setGreeting(box.number_id, greeting);
    await this.#removeOldCopy(box.greeting, greeting);
  }

  async #number(of: ProjectKind, numberId: string): Promise<NumberRow> {
    const number = await this.options.numbers.get(of, numberId);
    if (number?.state !== 'assigned') throw new HatifError('NUMBER_NOT_FOUND', { id: numberId });
    return number;
  }

  async #greeting(of: ProjectKind, input: NewGreeting, before: GreetingRow | null): Promise<GreetingRow> {
    const { text, audio_id, audio_url, language = null } = input;
    if ([text, audio_id, audio_url].filter((source) => source !== undefined).length !== 1) throw invalid(ONE_SOURCE);
    if (text !== undefined) {
      if (language === null) throw invalid(LANGUAGE_WITH_TEXT);
      return { type: 'text', text, language };
    }
    if (audio_id !== undefined) {
      if (!(await this.options.hasAudio(of, audio_id))) throw invalid(NO_SUCH_AUDIO);
      return { type: 'audio', audio_id, language };
    }
    // For an unchanged URL the stored copy is kept, even if the URL no longer works.
    if (before?.type === 'copy' && before.url === audio_url) return { ...before, language };
    return this.#fetch(of.projectId, audio_url ?? '', language);
  }

  /** Fetches the audio once and stores a copy: later changes at the URL have no effect. */
  async #fetch(projectId: string, url: string, language: NewGreeting['language'] | null): Promise<GreetingRow> {
    try {
      const { path, durationMs } = await this.options.media.fetch(url, projectId);
      if (durationMs > MAX_GREETING_MS) throw invalid(TOO_LONG);
      return await this.#copy(projectId, { file: `${path}.wav16` }, url, language ?? null);
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      if (error.problem === 'unavailable') throw new HatifError('VOICEMAIL_SERVICE_UNAVAILABLE', {}, { cause: error });
      throw invalid(mediaReason(error), error);
    }
  }

  async #copy(
    projectId: string,
    wav: AudioInput,
    url: string | null,
    language: 'ar' | 'en' | null,
  ): Promise<GreetingRow> {
    const mediaId = newId();
    await this.options.media.put(mediaId, wav, projectId);
    return { type: 'copy', media_id: mediaId, url, language };
  }

  /** Deletes the previous copy. A call that is playing it plays it to the end. */
  async #removeOldCopy(old: GreetingRow | null, greeting: GreetingRow | null): Promise<void> {
    if (old?.type !== 'copy') return;
    if (greeting?.type === 'copy' && greeting.media_id === old.media_id) return;
    // Nothing refers to it any more, so a copy that remains does no harm.
    await this.options.media.remove(old.media_id).catch(() => undefined);
  }
}

/** Messages that were left before it was switched on are not announced. */
function notifyOf(given: NewBox['notify_message'], before: NotifyMessage | null, now: Date): NotifyMessage | null {
  return given && { ...given, since: before?.since ?? now.toISOString() };
}

function invalid(reason: Phrase, cause?: unknown): HatifError {
  return new HatifError('VOICEMAIL_GREETING_INVALID', { reason }, cause === undefined ? {} : { cause });
}
