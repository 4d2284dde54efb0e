import { newId } from '../../core/model/ids.js';
import { SHORTEST_MESSAGE_MS } from '../../core/model/voicemail.js';
import { EngineError, type MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { CallControl, ProgramSignal, Prompts } from '../../core/services/call-state/program.js';
import { Gather, type Answer } from './gather.js';
import { bilingualItems, type BilingualPrompt } from './bilingual.js';

/** The state of a recording, which the program saves with the call. */
export interface MessageRecorderState {
  readonly phase: 'prompt' | 'recording' | 'menu';
  /** The playback whose end starts the recording. */
  readonly playbackId: string | null;
  readonly recordingId: string | null;
  /** How often the caller was asked to speak again. */
  readonly attempts: number;
}

/** `kept`: the message was sent. `nothing`: no message was left. `refused`: the engine refused to record. */
export type MessageRecorderOutcome = 'kept' | 'nothing' | 'refused';

export interface MessageRecorderOptions {
  readonly prompts: Prompts;
  /** The menu after the recording: 1 keeps it, 2 plays it, 3 records it again. */
  readonly menu: BilingualPrompt;
  /** Starts the recording. @throws EngineError */
  record(call: CallControl, legId: string, recordingId: string): Promise<void>;
  /** Saves the state with the call; written with the next commit. */
  save(call: CallControl, state: MessageRecorderState): void;
  done(call: CallControl, outcome: MessageRecorderOutcome): Promise<void>;
}

const BEEP: MediaItem = { type: 'tone', tone: 'beep' };
const TOO_SHORT: BilingualPrompt = {
  ar: 'الرسالة قصيرة جدًّا. فضلًا تحدّث بعد الصافرة.',
  en: 'That was too short. Please speak after the tone.',
};
const MAX_ATTEMPTS = 3;
/** How often the menu is played before an unanswered message is sent. */
const MAX_MENUS = 3;
const FIRST_DIGIT_MS = 5_000;

/**
 * Records a message of the customer for a voicemail box. `#` ends the recording; then the customer can keep it, listen to it or record it again.
 * From the tone on, the recording survives the program, the application and the call.
 */
export class MessageRecorder {
  #menu: Gather | null = null;
  #menus = 0;
  #isOpen = false;

  constructor(
    private readonly options: MessageRecorderOptions,
    private state: MessageRecorderState = { phase: 'prompt', playbackId: null, recordingId: null, attempts: 0 },
  ) {}

  /** @param first is played before the tone; `#` skips it */
  async start(call: CallControl, first: readonly MediaItem[]): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    this.#isOpen = true;
    const { playbackId: before } = this.state;
    this.#save(call, { phase: 'prompt', playbackId: null });
    if (before !== null) await call.stopPlay(before);
    this.#save(call, { playbackId: await call.play(customer.legId, [...first, BEEP]) });
  }

  /** @param first is played again, because nobody knows whether it was heard before the restart */
  async resume(call: CallControl, first: readonly MediaItem[]): Promise<void> {
    const { phase, recordingId } = this.state;
    if (phase === 'prompt' || recordingId === null) return this.start(call, first);
    this.#isOpen = true;
    const status = call.message.get(recordingId)?.status;
    // A key pressed during the restart is lost: the caller presses it again, or hangs up.
    if (status === 'recording') return;
    if (status === 'held') await this.#playMenu(call, recordingId);
    else await this.#done(call, status === 'sent' ? 'kept' : 'nothing');
  }

  /** @returns whether the event belonged to this recording */
  async onLegEvent(call: CallControl, event: LegEvent): Promise<boolean> {
    if (!this.#isOpen || event.legId !== call.leg('customer')?.legId) return false;
    if (this.#menu) return this.#menu.onLegEvent(call, event);
    const { phase, playbackId, recordingId } = this.state;
    if (event.type === 'play.finished' && playbackId !== null && event.playbackId === playbackId) {
      if (event.outcome === 'failed') call.note('play.failed');
      await this.#record(call, event.legId);
      return true;
    }
    if (event.type === 'leg.ended' && phase === 'prompt') {
      await this.#hungUp(call);
      return true;
    }
    if (event.type !== 'leg.dtmf') return false;
    if (event.digit === '#' && phase === 'prompt') await this.start(call, []);
    else if (event.digit === '#' && phase === 'recording' && recordingId !== null) await this.#stop(call, recordingId);
    return true;
  }

  /** @returns whether the signal belonged to this recording */
  async onSignal(call: CallControl, signal: ProgramSignal): Promise<boolean> {
    if (!this.#isOpen) return false;
    if (this.#menu) return this.#menu.onSignal(call, signal);
    const { phase, recordingId } = this.state;
    if (signal.type !== 'recorded' || signal.recordingId !== recordingId || phase !== 'recording') return false;
    // The recording reached its limit.
    await this.#playMenu(call, recordingId);
    return true;
  }

  /** Another program takes the call: the message is sent as far as it was recorded. */
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
      // The end of a leg also ends its prompt, and the prompt's event is first.
      if (error.kind === 'no_such_leg') return this.#hungUp(call);
      call.note('voicemail.refused', { kind: error.kind });
      await this.#done(call, 'refused');
    }
  }

  async #hungUp(call: CallControl): Promise<void> {
    call.note('voicemail.not_recorded', { reason: 'caller_hung_up_before_tone' });
    await this.#done(call, 'nothing');
  }

  async #stop(call: CallControl, recordingId: string): Promise<void> {
    await call.message.stop(recordingId);
    const message = call.message.get(recordingId);
    if (message === null || message.durationMs >= SHORTEST_MESSAGE_MS) return this.#playMenu(call, recordingId);
    await this.#retry(call, recordingId, await bilingualItems(this.options.prompts, TOO_SHORT));
  }

  async #retry(call: CallControl, recordingId: string, first: readonly MediaItem[]): Promise<void> {
    await call.message.drop(recordingId);
    const attempts = this.state.attempts + 1;
    this.#save(call, { attempts, recordingId: null });
    if (attempts < MAX_ATTEMPTS) await this.start(call, first);
    else await this.#done(call, 'nothing');
  }

  /** @param first is played before the menu */
  async #playMenu(call: CallControl, recordingId: string, first: readonly MediaItem[] = []): Promise<void> {
    this.#save(call, { phase: 'menu' });
    this.#menu = new Gather(
      {
        prompt: [...first, ...(await bilingualItems(this.options.prompts, this.options.menu))],
        maxDigits: 1,
        terminator: '#',
        firstDigitMs: FIRST_DIGIT_MS,
        nextDigitMs: FIRST_DIGIT_MS,
        bargeIn: true,
      },
      (_, answer) => this.#chosen(call, recordingId, answer),
    );
    await this.#menu.start(call);
  }

  async #chosen(call: CallControl, recordingId: string, { digits }: Answer): Promise<void> {
    this.#menu = null;
    if (digits === '2') return this.#playMenu(call, recordingId, [{ type: 'recording', recordingId }]);
    if (digits === '3') return this.#retry(call, recordingId, []);
    this.#menus += 1;
    if (digits !== '1' && this.#menus < MAX_MENUS) return this.#playMenu(call, recordingId);
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
