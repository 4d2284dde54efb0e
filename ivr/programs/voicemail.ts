import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type {
  CallControl,
  CallProgram,
  Ending,
  ProgramSignal,
  Prompts,
} from '../../core/services/call-state/program.js';
import type { VoicemailBoxLookup } from '../../core/services/voicemail/box-lookup.js';
import { bilingualItems, type BilingualPrompt } from '../dialogue/bilingual.js';
import {
  MessageRecorder,
  type MessageRecorderOutcome,
  type MessageRecorderState,
} from '../dialogue/message-recorder.js';
import { NORMAL } from '../dialogue/endings.js';

const TEXTS = {
  greeting: {
    ar: 'نعتذر، لا يمكننا الرد على مكالمتك الآن. فضلًا اترك رسالتك بعد الصافرة، ثم اضغط مفتاح المربع.',
    en: 'Nobody can take your call now. Please leave a message after the tone, then press the hash key.',
  },
  menu: {
    ar: 'لإرسال رسالتك، اضغط واحد. للاستماع إليها، اضغط اثنين. لتسجيلها من جديد، اضغط ثلاثة.',
    en: 'To send your message, press one. To listen to it, press two. To record it again, press three.',
  },
  kept: { ar: 'تم إرسال رسالتك. شكرًا لك، مع السلامة.', en: 'Your message was saved. Goodbye.' },
  refused: {
    ar: 'نعتذر، تعذّر تسجيل رسالتك الآن. نرجو المحاولة لاحقًا.',
    en: 'Your message cannot be taken now. Please try again later.',
  },
} as const satisfies Readonly<Record<string, BilingualPrompt>>;

interface State {
  readonly [key: string]: unknown;
  readonly phase: 'arriving' | 'taking' | 'leaving';
  /** The longest message that the box accepts. */
  readonly maxSeconds: number;
  readonly recorder: MessageRecorderState | null;
  /** The playback of the goodbye. */
  readonly playbackId: string | null;
}

const ARRIVING: State = { phase: 'arriving', maxSeconds: 0, recorder: null, playbackId: null };
/** The box does not exist or is switched off. */
const NO_BOX: Ending = { q850: Q850.NO_ROUTE_DESTINATION, status: 'missed', disposition: 'no_answer' };

/** Plays a number's greeting and records the caller's message for its box. Hanging up sends the message. */
export class VoicemailProgram implements CallProgram {
  #state: State;
  #recorder: MessageRecorder | null;

  constructor(
    private readonly numberId: string,
    private readonly boxLookup: VoicemailBoxLookup,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? ARRIVING;
    this.#recorder = this.#state.phase === 'taking' ? this.#createRecorder() : null;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    if (customer.status === 'answered') await this.#begin(call);
    else if ((await this.boxLookup.open(this.numberId)) === null) await call.end(NO_BOX);
    else await call.answer(customer.legId);
  }

  async resume(call: CallControl): Promise<void> {
    if (this.#recorder) await this.#recorder.resume(call, await this.#greeting());
    else if (this.#state.phase === 'arriving') await this.start(call);
    else await call.end(NORMAL);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const { phase, playbackId } = this.#state;
    if (await this.#recorder?.onLegEvent(call, event)) return;
    const isCustomer = event.legId === call.leg('customer')?.legId;
    if (event.type === 'leg.answered' && isCustomer && phase === 'arriving') await this.#begin(call);
    else if (event.type === 'play.finished' && event.playbackId === playbackId) await call.end(NORMAL);
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    await this.#recorder?.onSignal(call, signal);
  }

  onReplaced(call: CallControl): void {
    this.#recorder?.leave(call);
  }

  async #begin(call: CallControl): Promise<void> {
    const box = await this.boxLookup.open(this.numberId);
    if (!box) return call.end(NO_BOX);
    call.markAnswered();
    this.#save(call, { phase: 'taking', maxSeconds: box.max_seconds });
    this.#recorder = this.#createRecorder();
    await this.#recorder.start(call, await this.#greeting());
  }

  async #greeting(): Promise<readonly MediaItem[]> {
    const box = await this.boxLookup.open(this.numberId);
    const own = box && (await this.boxLookup.greeting(box));
    return own ? [own] : bilingualItems(this.prompts, TEXTS.greeting);
  }

  #createRecorder(): MessageRecorder {
    return new MessageRecorder(
      {
        prompts: this.prompts,
        menu: TEXTS.menu,
        record: (call, legId, recordingId) =>
          call.message.record(legId, this.numberId, recordingId, this.#state.maxSeconds),
        save: (call, recorder) => this.#save(call, { recorder }),
        done: (call, outcome) => this.#goodbye(call, outcome),
      },
      this.#state.recorder ?? undefined,
    );
  }

  async #goodbye(call: CallControl, outcome: MessageRecorderOutcome): Promise<void> {
    const customer = call.leg('customer');
    this.#recorder = null;
    this.#save(call, { phase: 'leaving', recorder: null });
    const items = outcome === 'nothing' ? [] : await bilingualItems(this.prompts, TEXTS[outcome]);
    if (!customer || items.length === 0) return call.end(NORMAL);
    this.#save(call, { playbackId: await call.play(customer.legId, items) });
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}
