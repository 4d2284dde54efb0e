import type { CallControl, CallProgram, Prompts } from '../../core/services/call-state/program.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import { NORMAL } from '../dialogue/endings.js';

const GREETING = {
  ar: 'مرحبًا بك في هاتف. هذه خدمة اختبار الصوت. تحدّث لتسمع صدى صوتك. للإنهاء، اضغط مفتاح المربع.',
  en: 'Welcome to Hatif. This is the echo service. Speak, and you will hear your own voice. Press the hash key to finish.',
} as const;

type Phase = 'arriving' | 'greeting' | 'echo';

/** Answers, greets in Arabic and English, and sends the caller's voice back. `#` hangs up at any time. */
export class EchoProgram implements CallProgram {
  #phase: Phase;
  #playbackId: string | null = null;

  constructor(
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#phase = state?.phase === 'echo' ? 'echo' : 'arriving';
    this.#playbackId = typeof state?.playbackId === 'string' ? state.playbackId : null;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (customer?.status === 'answered') await this.#greet(call);
    else if (customer) await call.answer(customer.legId);
  }

  /** Repeats an unfinished greeting, because nobody knows whether it ended during the restart. */
  async resume(call: CallControl): Promise<void> {
    if (this.#phase === 'echo') return;
    if (this.#playbackId !== null) await call.stopPlay(this.#playbackId);
    await this.start(call);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (event.type === 'leg.answered') await this.#greet(call);
    else if (event.type === 'play.finished' && event.playbackId === this.#playbackId) await this.#echo(call);
    else if (event.type === 'leg.dtmf' && event.digit === '#') await call.end(NORMAL);
  }

  async #greet(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer || this.#phase !== 'arriving') return;
    this.#phase = 'greeting';
    const spoken = await Promise.all([this.prompts.say(GREETING.ar, 'ar'), this.prompts.say(GREETING.en, 'en')]);
    // Without a voice, a beep announces the echo.
    const items = spoken.filter((item) => item !== null);
    const greeting: readonly MediaItem[] = items.length > 0 ? items : [{ type: 'tone', tone: 'beep' }];
    this.#playbackId = await call.play(customer.legId, greeting);
    call.save({ phase: 'greeting', playbackId: this.#playbackId });
  }

  async #echo(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer || this.#phase !== 'greeting') return;
    this.#phase = 'echo';
    call.save({ phase: 'echo' });
    await call.echo(customer.legId);
  }
}
