import type { NumberedBox } from '../../core/data/repositories/voicemail/voicemail-boxes.js';
import type { StoredVoicemail } from '../../core/data/repositories/voicemail/voicemails.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';
import type { CallControl, CallProgram, ProgramSignal, Prompts } from '../../core/services/call-state/program.js';
import type { VoicemailByPhone } from '../../core/services/voicemail/by-phone.js';
import { Gather, type Answer } from '../dialogue/gather.js';
import { bilingualItems, type BilingualPrompt } from '../dialogue/bilingual.js';
import { MessageRecorder, type MessageRecorderOutcome } from '../dialogue/message-recorder.js';
import { NORMAL } from '../dialogue/endings.js';
import { ACCESS_TEXTS as TEXTS, countsText, introductionText } from './voicemail-access-texts.js';

interface State {
  readonly [key: string]: unknown;
  /** The caller has entered the correct PIN. */
  readonly isAdmitted: boolean;
  /** The temporary copy of the message that is being played. */
  readonly copy: string | null;
  /** The playback of the goodbye. */
  readonly playbackId: string | null;
}

const INITIAL: State = { isAdmitted: false, copy: null, playbackId: null };
const MAX_PIN_TRIES = 3;
/** How often a menu is played without an answer before the call ends. */
const MAX_MENUS = 3;
const GREETING_SECONDS = 120;

type Handler = (call: CallControl, answer: Answer) => Promise<void>;

/** Voicemail access from an agent's softphone: PIN, number of messages, each message with its menu, and a custom greeting. */
export class VoicemailAccessProgram implements CallProgram {
  #state: State;
  #question: Gather | null = null;
  #recorder: MessageRecorder | null = null;
  #box: NumberedBox | null = null;
  #messages: readonly StoredVoicemail[] = [];
  #position = 0;
  #pinTries = 0;
  #unanswered = 0;

  constructor(
    private readonly agent: string,
    private readonly byPhone: VoicemailByPhone,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? INITIAL;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (customer?.status === 'answered') await this.#begin(call);
    else if (customer) await call.answer(customer.legId);
  }

  /** Starts again; a PIN that was accepted is not asked for again. */
  async resume(call: CallControl): Promise<void> {
    await this.#deleteCopy(call);
    await this.start(call);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (await this.#question?.onLegEvent(call, event)) return;
    if (await this.#recorder?.onLegEvent(call, event)) return;
    if (event.type === 'leg.answered') await this.#begin(call);
    else if (event.type === 'leg.ended') await this.#deleteCopy(call);
    else if (event.type === 'play.finished' && event.playbackId === this.#state.playbackId) await call.end(NORMAL);
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    if (await this.#question?.onSignal(call, signal)) return;
    await this.#recorder?.onSignal(call, signal);
  }

  onReplaced(call: CallControl): void {
    void this.#deleteCopy(call);
  }

  async #begin(call: CallControl): Promise<void> {
    this.#box = await this.byPhone.boxOf(call.queue.projectId, this.agent);
    if (!this.#box) return this.#goodbye(call, TEXTS.no_box);
    if (this.#state.isAdmitted) return this.#open(call);
    if (this.#box.pin_hash === null) return this.#goodbye(call, TEXTS.no_pin);
    await this.#askPin(call, []);
  }

  async #askPin(call: CallControl, first: readonly MediaItem[]): Promise<void> {
    const prompt = [...first, ...(await this.#say(TEXTS.pin))];
    await this.#ask(call, prompt, (_, answer) => this.#checkPin(call, answer.digits), { maxDigits: 10 });
  }

  async #checkPin(call: CallControl, pin: string): Promise<void> {
    const box = this.#box;
    if (!box) return call.end(NORMAL);
    this.#pinTries += 1;
    const outcome = pin === '' ? 'wrong' : await this.byPhone.tryPin(box, pin);
    call.note(`voicemail.pin_${outcome}`);
    if (outcome === 'right') {
      this.#save(call, { isAdmitted: true });
      return this.#open(call);
    }
    if (outcome === 'locked') return this.#goodbye(call, TEXTS.locked);
    if (this.#pinTries >= MAX_PIN_TRIES) return this.#goodbye(call, TEXTS.wrong_pin);
    await this.#askPin(call, await this.#say(TEXTS.wrong_pin));
  }

  async #open(call: CallControl): Promise<void> {
    const messages = this.#box && (await this.byPhone.list(this.#box));
    if (!messages) return this.#goodbye(call, TEXTS.failed);
    this.#messages = messages;
    this.#position = 0;
    await this.#present(call, await this.#say(countsText(messages)));
  }

  /** Plays the current message and its menu, or announces that there are no more messages. */
  async #present(call: CallControl, first: readonly MediaItem[]): Promise<void> {
    await this.#deleteCopy(call);
    const message = this.#messages[this.#position];
    if (!message) {
      return this.#playMenu(call, first, TEXTS.end_menu);
    }
    const copy = await this.byPhone.audioOf(message);
    this.#save(call, { copy });
    const audio: readonly MediaItem[] =
      copy === null ? await this.#say(TEXTS.no_audio) : [{ type: 'file', path: copy }];
    await this.#playMenu(
      call,
      [...first, ...(await this.#say(introductionText(message, this.byPhone.now()))), ...audio],
      TEXTS.menu,
      copy === null ? null : message,
    );
  }

  /** @param heard the message in `first`, which counts as heard once the menu is answered */
  async #playMenu(
    call: CallControl,
    first: readonly MediaItem[],
    menu: BilingualPrompt,
    heard: StoredVoicemail | null = null,
  ): Promise<void> {
    await this.#ask(call, [...first, ...(await this.#say(menu))], async (_, answer) => {
      if (heard) await this.byPhone.markListened(heard);
      if (answer.by === 'silence') {
        this.#unanswered += 1;
        if (this.#unanswered >= MAX_MENUS) return this.#goodbye(call, TEXTS.goodbye);
        return this.#playMenu(call, [], menu);
      }
      this.#unanswered = 0;
      await this.#chosen(call, answer.digits);
    });
  }

  async #chosen(call: CallControl, digit: string): Promise<void> {
    const message = this.#messages[this.#position];
    switch (digit) {
      case '1':
        if (!message) return this.#open(call);
        return this.#present(call, []);
      case '2':
        if (message) this.#position += 1;
        return this.#present(call, []);
      case '3':
        return message ? this.#delete(call, message) : this.#present(call, []);
      case '4':
        this.#position = Math.max(0, this.#position - 1);
        return this.#present(call, []);
      case '8':
        return this.#recordGreeting(call);
      case '':
        return this.#goodbye(call, TEXTS.goodbye);
      default:
        return this.#playMenu(call, [], message ? TEXTS.menu : TEXTS.end_menu);
    }
  }

  async #delete(call: CallControl, message: StoredVoicemail): Promise<void> {
    const isGone = await this.byPhone.delete(message);
    if (isGone) this.#messages = this.#messages.filter(({ id }) => id !== message.id);
    else this.#position += 1;
    await this.#present(call, await this.#say(isGone ? TEXTS.deleted : TEXTS.not_deleted));
  }

  async #recordGreeting(call: CallControl): Promise<void> {
    await this.#deleteCopy(call);
    const box = this.#box;
    if (!box) return call.end(NORMAL);
    this.#recorder = new MessageRecorder({
      prompts: this.prompts,
      menu: TEXTS.greeting_menu,
      record: (_, legId, recordingId) =>
        call.message.recordGreeting(legId, box.number_id, recordingId, GREETING_SECONDS),
      // Not saved: after a restart the messages are presented from the start.
      save: () => undefined,
      done: (_, outcome) => this.#greetingRecorded(call, outcome),
    });
    await this.#recorder.start(call, await this.#say(TEXTS.greeting));
  }

  async #greetingRecorded(call: CallControl, outcome: MessageRecorderOutcome): Promise<void> {
    this.#recorder = null;
    const said = { kept: TEXTS.greeting_kept, nothing: null, refused: TEXTS.failed }[outcome];
    await this.#present(call, said ? await this.#say(said) : []);
  }

  async #ask(
    call: CallControl,
    prompt: readonly MediaItem[],
    answered: Handler,
    { maxDigits = 1 }: { readonly maxDigits?: number } = {},
  ): Promise<void> {
    const times = { firstDigitMs: 6_000, nextDigitMs: 4_000 };
    this.#question = new Gather({ prompt, maxDigits, terminator: '#', bargeIn: true, ...times }, (_, answer) => {
      this.#question = null;
      return answered(call, answer);
    });
    await this.#question.start(call);
  }

  #say(text: BilingualPrompt): Promise<readonly MediaItem[]> {
    const language: SpeechLanguage | null = this.#box?.greeting?.language ?? null;
    return bilingualItems(this.prompts, text, language === null ? undefined : [language]);
  }

  async #goodbye(call: CallControl, text: BilingualPrompt): Promise<void> {
    await this.#deleteCopy(call);
    const customer = call.leg('customer');
    const items = await this.#say(text);
    if (!customer || items.length === 0) return call.end(NORMAL);
    this.#save(call, { playbackId: await call.play(customer.legId, items) });
  }

  /** Deletes the copy that was played last. */
  async #deleteCopy(call: CallControl): Promise<void> {
    const { copy } = this.#state;
    if (copy === null) return;
    this.#save(call, { copy: null });
    await this.byPhone.release(copy);
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}
