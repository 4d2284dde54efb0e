import { newId } from '../../core/model/ids.js';
import { SHORTEST_MESSAGE_MS } from '../../core/model/voicemail.js';
import { EngineError, type LegEvent, type MediaItem } from '../../core/ports/engine.js';
import type { CallControl, ProgramSignal, Prompts } from '../../core/services/call-state/program.js';
import { Gather, type Answer } from './gather.js';
import { bilingualItems, type BilingualPrompt } from './in-both.js';

/** Where a take is, as its program keeps it with the call. */
export interface MessageRecorderState {
  readonly phase: 'prompt' | 'recording' | 'menu';
  /** What plays, where its end is waited for. */
  readonly playbackId: string | null;
  readonly recordingId: string | null;
  /** How often the caller was asked to speak again. */
  readonly attempts: number;
}

/** `kept`: it was sent. `nothing`: nothing was said. `refused`: the engine does not record. */
export type MessageRecorderOutcome = 'kept' | 'nothing' | 'refused';

export interface MessageRecorderOptions {
  readonly prompts: Prompts;
  /** What can be done with it: 1 keeps it, 2 plays it, 3 takes it again. */
  readonly menu: BilingualPrompt;
  /** Begins the recording. @throws EngineError */
  record(call: CallControl, legId: string, recordingId: string): Promise<void>;
  /** Keeps the state with the call; written with the next commit. */
  save(call: CallControl, state: MessageRecorderState): void;
  done(call: CallControl, outcome: MessageRecorderOutcome): Promise<void>;
}

const BEEP: MediaItem = { type: 'tone', tone: 'beep' };
const TOO_SHORT: BilingualPrompt = {
  ar: 'الرسالة قصيرة جدًّا. فضلًا تحدّث بعد الصافرة.',
  en: 'That was too short. Please speak after the tone.',
};
const ATTEMPTS = 3;
/** The menu is said so often; then what was said counts as sent. */
const MENUS = 3;
const FIRST_DIGIT_MS = 5_000;

/**
 * Something that the customer says after a tone, for a voicemail box: `#` ends it, then it can be kept, heard and said again. From the tone on it
 * outlives the program, the application and the call.
 */
export class MessageRecorder {
  #menu: Gather | null = null;
  #menus = 0;
  #isOpen = false;

  constructor(
    private readonly options: MessageRecorderOptions,
    private state: MessageRecorderState = { phase: 'prompt', playbackId: null, recordingId: null, attempts: 0 },
  ) {}

  /** @param first is heard before the tone; `#` skips it */
  async start(call: CallControl, first: readonly MediaItem[]): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    this.#isOpen = true;
    const { playbackId: before } = this.state;
    this.#save(call, { phase: 'prompt', playbackId: null });
    if (before !== null) await call.stopPlay(before);
    this.#save(call, { playbackId: await call.play(customer.legId, [...first, BEEP]) });
  }

  /** @param first as at the start: whether it was heard cannot be known */
  async resume(call: CallControl, first: readonly MediaItem[]): Promise<void> {
    const { phase, recordingId } = this.state;
    if (phase === 'prompt' || recordingId === null) return this.start(call, first);
    this.#isOpen = true;
    const status = call.message.get(recordingId)?.status;
    // A key that was pressed meanwhile nobody heard: the caller presses it again, or hangs up.
    if (status === 'recording') return;
    if (status === 'held') await this.#askWhatNow(call, recordingId);
    else await this.#done(call, status === 'sent' ? 'kept' : 'nothing');
  }

  /** @returns whether the event was about this. */
  async onLegEvent(call: CallControl, event: LegEvent): Promise<boolean> {
    if (!this.#isOpen || event.legId !== call.leg('customer')?.legId) return false;
    if (this.#menu) return this.#menu.onLegEvent(call, event);
    const { phase, playbackId, recordingId } = this.state;
    if (event.type === 'play.finished' && playbackId !== null && event.playbackId === playbackId) {
      if (event.outcome === 'failed') call.note('play.failed');
      await this.#record(call, event.legId);
      return true;
    }
    if (event.type !== 'leg.dtmf') return false;
    if (event.digit === '#' && phase === 'prompt') await this.start(call, []);
    else if (event.digit === '#' && phase === 'recording' && recordingId !== null) await this.#stop(call, recordingId);
    return true;
  }

  /** @returns whether the signal was about this. */
  async onSignal(call: CallControl, signal: ProgramSignal): Promise<boolean> {
    if (!this.#isOpen) return false;
    if (this.#menu) return this.#menu.onSignal(call, signal);
    const { phase, recordingId } = this.state;
    if (signal.type !== 'recorded' || signal.recordingId !== recordingId || phase !== 'recording') return false;
    // Its limit ended it.
    await this.#askWhatNow(call, recordingId);
    return true;
  }

  /** Another program takes the call: what was said until then is as it is. */
  leave(call: CallControl): void {
    const { recordingId } = this.state;
    if (recordingId === null) return;
    const sent = call.message.stop(recordingId).then(() => call.message.send(recordingId));
    sent.catch(() => call.note('voicemail.goes_on'));
  }

  async #record(call: CallControl, legId: string): Promise<void> {
    const recordingId = newId();
    this.#save(call, { phase: 'recording', playbackId: null, recordingId });
    try {
      await this.options.record(call, legId, recordingId);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      call.note('voicemail.refused', { kind: error.kind });
      await this.#done(call, 'refused');
    }
  }

  async #stop(call: CallControl, recordingId: string): Promise<void> {
    await call.message.stop(recordingId);
    const message = call.message.get(recordingId);
    if (message === null || message.durationMs >= SHORTEST_MESSAGE_MS) return this.#askWhatNow(call, recordingId);
    await this.#again(call, recordingId, await bilingualItems(this.options.prompts, TOO_SHORT));
  }

  async #again(call: CallControl, recordingId: string, first: readonly MediaItem[]): Promise<void> {
    await call.message.drop(recordingId);
    const attempts = this.state.attempts + 1;
    this.#save(call, { attempts, recordingId: null });
    if (attempts < ATTEMPTS) await this.start(call, first);
    else await this.#done(call, 'nothing');
  }

  /** @param heard is played before the menu */
  async #askWhatNow(call: CallControl, recordingId: string, heard: readonly MediaItem[] = []): Promise<void> {
    this.#save(call, { phase: 'menu' });
    this.#menu = new Gather(
      {
        prompt: [...heard, ...(await bilingualItems(this.options.prompts, this.options.menu))],
        maxDigits: 1,
        terminator: '#',
        firstDigitMs: FIRST_DIGIT_MS,
        nextDigitMs: FIRST_DIGIT_MS,
        bargeIn: true,
      },
      (_, answer) => this.#decided(call, recordingId, answer),
    );
    await this.#menu.start(call);
  }

  async #decided(call: CallControl, recordingId: string, { digits }: Answer): Promise<void> {
    this.#menu = null;
    if (digits === '2') return this.#askWhatNow(call, recordingId, [{ type: 'recording', recordingId }]);
    if (digits === '3') return this.#again(call, recordingId, []);
    this.#menus += 1;
    if (digits !== '1' && this.#menus < MENUS) return this.#askWhatNow(call, recordingId);
    call.message.send(recordingId);
    await this.#done(call, 'kept');
  }

  async #done(call: CallControl, outcome: MessageRecorderOutcome): Promise<void> {
    this.#isOpen = false;
    await this.options.done(call, outcome);
  }

  #save(call: CallControl, changes: Partial<MessageRecorderState>): void {
    this.state = { ...this.state, ...changes };
    this.options.save(call, this.state);
  }
}
