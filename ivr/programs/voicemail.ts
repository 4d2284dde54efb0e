import { newId } from '../../core/model/ids.js';
import { Q850 } from '../../core/model/hangup-cause.js';
import { SHORTEST_MESSAGE_MS } from '../../core/model/voicemail.js';
import { EngineError, type LegEvent, type MediaItem } from '../../core/ports/engine.js';
import type { CallControl, CallProgram, Ending, ProgramSignal, Prompts } from '../../core/services/calls/program.js';
import type { VoicemailDesk } from '../../core/services/voicemail/desk.js';
import { Gather, type Answer } from '../dialogue/gather.js';
import { sayInBoth } from '../dialogue/in-both.js';
import { NORMAL } from './endings.js';
import { VOICEMAIL_TEXTS as TEXTS } from './voicemail-texts.js';

type Phase = 'arriving' | 'greeting' | 'recording' | 'menu' | 'leaving';

interface State {
  readonly [key: string]: unknown;
  readonly phase: Phase;
  /** What plays, where its end is waited for. */
  readonly playbackId: string | null;
  readonly recordingId: string | null;
  /** What the box takes. */
  readonly maxSeconds: number;
  /** How often the caller was asked to speak again. */
  readonly attempts: number;
}

const BEGINNING: State = { phase: 'arriving', playbackId: null, recordingId: null, maxSeconds: 0, attempts: 0 };
const BEEP: MediaItem = { type: 'tone', tone: 'beep' };
/** The menu is said so often; then what was said counts as sent. */
const MENUS = 3;
const ATTEMPTS = 3;
const FIRST_DIGIT_MS = 5_000;

/** There is no such box, or it is switched off. */
const NO_BOX: Ending = { q850: Q850.NO_ROUTE_DESTINATION, status: 'missed', disposition: 'no_answer' };

/**
 * A greeting, a tone, and the caller's message for a number's box. `#` ends it; then it can be sent, heard and recorded again. Whoever hangs up
 * sends what was said: from the tone on the message outlives this program, the application and the call.
 */
export class VoicemailProgram implements CallProgram {
  #state: State;
  #menu: Gather | null = null;
  #menus = 0;

  constructor(
    private readonly numberId: string,
    private readonly desk: VoicemailDesk,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? BEGINNING;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    if (customer.status === 'answered') await this.#greet(call);
    else if ((await this.desk.open(this.numberId)) === null) await call.end(NO_BOX);
    else await call.answer(customer.legId);
  }

  async resume(call: CallControl): Promise<void> {
    const { phase, playbackId, recordingId } = this.#state;
    if (playbackId !== null) await call.stopPlay(playbackId);
    const message = recordingId === null ? null : call.message.get(recordingId);
    if (phase === 'arriving' || phase === 'greeting') return this.start(call);
    if (phase === 'leaving' || recordingId === null || message === null) return call.end(NORMAL);
    // A key that was pressed meanwhile nobody heard; the caller presses it again, or hangs up.
    if (message.status === 'recording') this.#save(call, { phase: 'recording' });
    else if (message.status === 'held') await this.#askWhatNow(call, recordingId);
    else await this.#leave(call);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const { phase, playbackId, recordingId } = this.#state;
    if (await this.#menu?.onLegEvent(call, event)) return;
    const customer = call.leg('customer');
    if (event.legId !== customer?.legId) return;
    if (event.type === 'leg.answered' && phase === 'arriving') return this.#greet(call);
    if (event.type === 'play.finished' && playbackId !== null && event.playbackId === playbackId) {
      if (event.outcome === 'failed') call.note('play.failed');
      if (phase === 'greeting') await this.#record(call);
      else if (phase === 'leaving') await call.end(NORMAL);
    } else if (event.type === 'leg.dtmf' && event.digit === '#') {
      if (phase === 'greeting') await this.#beep(call, []);
      else if (phase === 'recording' && recordingId !== null) await this.#stop(call, recordingId);
    }
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    if (await this.#menu?.onSignal(call, signal)) return;
    const { phase, recordingId } = this.#state;
    if (signal.type !== 'recorded' || signal.recordingId !== recordingId || phase !== 'recording') return;
    // Its limit ended it.
    await this.#askWhatNow(call, recordingId);
  }

  /** What was said until then is sent. */
  onReplaced(call: CallControl): void {
    const { recordingId } = this.#state;
    if (recordingId === null) return;
    const sent = call.message.stop(recordingId).then(() => call.message.send(recordingId));
    sent.catch(() => call.note('voicemail.goes_on'));
  }

  async #greet(call: CallControl): Promise<void> {
    const box = await this.desk.open(this.numberId);
    if (!box) return call.end(NO_BOX);
    call.pickUp();
    this.#save(call, { maxSeconds: box.max_seconds });
    const own = await this.desk.greeting(box);
    await this.#beep(call, own ? [own] : await sayInBoth(this.prompts, TEXTS.greeting));
  }

  /** Say this, then the tone; the recording begins behind it. */
  async #beep(call: CallControl, first: readonly MediaItem[]): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    const { playbackId: before } = this.#state;
    this.#save(call, { phase: 'greeting', playbackId: null });
    if (before !== null) await call.stopPlay(before);
    this.#save(call, { playbackId: await call.play(customer.legId, [...first, BEEP]) });
  }

  async #record(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (customer?.status !== 'answered') return;
    const recordingId = newId();
    this.#save(call, { phase: 'recording', playbackId: null, recordingId });
    try {
      await call.message.record(customer.legId, this.numberId, recordingId, this.#state.maxSeconds);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      call.note('voicemail.refused', { kind: error.kind });
      await this.#sayGoodbye(call, await sayInBoth(this.prompts, TEXTS.not_possible));
    }
  }

  async #stop(call: CallControl, recordingId: string): Promise<void> {
    await call.message.stop(recordingId);
    const message = call.message.get(recordingId);
    if (message === null || message.durationMs >= SHORTEST_MESSAGE_MS) return this.#askWhatNow(call, recordingId);
    await this.#again(call, recordingId, await sayInBoth(this.prompts, TEXTS.again));
  }

  async #again(call: CallControl, recordingId: string, prompt: readonly MediaItem[]): Promise<void> {
    await call.message.drop(recordingId);
    const attempts = this.#state.attempts + 1;
    this.#save(call, { attempts, recordingId: null });
    if (attempts < ATTEMPTS) await this.#beep(call, prompt);
    else await this.#sayGoodbye(call, []);
  }

  /** @param heard what is played before the menu */
  async #askWhatNow(call: CallControl, recordingId: string, heard: readonly MediaItem[] = []): Promise<void> {
    this.#save(call, { phase: 'menu', playbackId: null });
    this.#menu = new Gather(
      {
        prompt: [...heard, ...(await sayInBoth(this.prompts, TEXTS.menu))],
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
    if (digits === '1') return this.#leave(call);
    if (digits === '2') return this.#askWhatNow(call, recordingId, [{ type: 'recording', recordingId }]);
    if (digits === '3') return this.#again(call, recordingId, []);
    this.#menus += 1;
    if (this.#menus >= MENUS) await this.#leave(call);
    else await this.#askWhatNow(call, recordingId);
  }

  async #leave(call: CallControl): Promise<void> {
    const { recordingId } = this.#state;
    if (recordingId !== null) call.message.send(recordingId);
    await this.#sayGoodbye(call, await sayInBoth(this.prompts, TEXTS.sent));
  }

  async #sayGoodbye(call: CallControl, items: readonly MediaItem[]): Promise<void> {
    const customer = call.leg('customer');
    this.#save(call, { phase: 'leaving' });
    if (!customer || items.length === 0) return call.end(NORMAL);
    this.#save(call, { playbackId: await call.play(customer.legId, items) });
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}
