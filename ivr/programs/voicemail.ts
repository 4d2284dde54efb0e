import { Q850 } from '../../core/model/hangup-cause.js';
import type { LegEvent, MediaItem } from '../../core/ports/engine.js';
import type { CallControl, CallProgram, Ending, ProgramSignal, Prompts } from '../../core/services/calls/program.js';
import type { VoicemailDesk } from '../../core/services/voicemail/desk.js';
import { sayInBoth, type InBoth } from '../dialogue/in-both.js';
import { Take, type TakeOutcome, type TakeState } from '../dialogue/take.js';
import { NORMAL } from './endings.js';

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
} as const satisfies Readonly<Record<string, InBoth>>;

interface State {
  readonly [key: string]: unknown;
  readonly phase: 'arriving' | 'taking' | 'leaving';
  /** What the box takes. */
  readonly maxSeconds: number;
  readonly take: TakeState | null;
  /** The goodbye. */
  readonly playbackId: string | null;
}

const ARRIVING: State = { phase: 'arriving', maxSeconds: 0, take: null, playbackId: null };
/** There is no such box, or it is switched off. */
const NO_BOX: Ending = { q850: Q850.NO_ROUTE_DESTINATION, status: 'missed', disposition: 'no_answer' };

/** The caller hears a number's greeting and leaves a message in its box. Whoever hangs up sends what was said. */
export class VoicemailProgram implements CallProgram {
  #state: State;
  #take: Take | null;

  constructor(
    private readonly numberId: string,
    private readonly desk: VoicemailDesk,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#state = (state as State | null) ?? ARRIVING;
    this.#take = this.#state.phase === 'taking' ? this.#newTake() : null;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    if (customer.status === 'answered') await this.#begin(call);
    else if ((await this.desk.open(this.numberId)) === null) await call.end(NO_BOX);
    else await call.answer(customer.legId);
  }

  async resume(call: CallControl): Promise<void> {
    if (this.#take) await this.#take.resume(call, await this.#greeting());
    else if (this.#state.phase === 'arriving') await this.start(call);
    else await call.end(NORMAL);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const { phase, playbackId } = this.#state;
    if (await this.#take?.onLegEvent(call, event)) return;
    const isCustomer = event.legId === call.leg('customer')?.legId;
    if (event.type === 'leg.answered' && isCustomer && phase === 'arriving') await this.#begin(call);
    else if (event.type === 'play.finished' && event.playbackId === playbackId) await call.end(NORMAL);
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    await this.#take?.onSignal(call, signal);
  }

  onReplaced(call: CallControl): void {
    this.#take?.leave(call);
  }

  async #begin(call: CallControl): Promise<void> {
    const box = await this.desk.open(this.numberId);
    if (!box) return call.end(NO_BOX);
    call.pickUp();
    this.#save(call, { phase: 'taking', maxSeconds: box.max_seconds });
    this.#take = this.#newTake();
    await this.#take.start(call, await this.#greeting());
  }

  async #greeting(): Promise<readonly MediaItem[]> {
    const box = await this.desk.open(this.numberId);
    const own = box && (await this.desk.greeting(box));
    return own ? [own] : sayInBoth(this.prompts, TEXTS.greeting);
  }

  #newTake(): Take {
    return new Take(
      {
        prompts: this.prompts,
        menu: TEXTS.menu,
        record: (call, legId, recordingId) =>
          call.message.record(legId, this.numberId, recordingId, this.#state.maxSeconds),
        save: (call, take) => this.#save(call, { take }),
        done: (call, outcome) => this.#goodbye(call, outcome),
      },
      this.#state.take ?? undefined,
    );
  }

  async #goodbye(call: CallControl, outcome: TakeOutcome): Promise<void> {
    const customer = call.leg('customer');
    this.#take = null;
    this.#save(call, { phase: 'leaving', take: null });
    const items = outcome === 'nothing' ? [] : await sayInBoth(this.prompts, TEXTS[outcome]);
    if (!customer || items.length === 0) return call.end(NORMAL);
    this.#save(call, { playbackId: await call.play(customer.legId, items) });
  }

  #save(call: CallControl, changes: Partial<State>): void {
    this.#state = { ...this.#state, ...changes };
    call.save(this.#state);
  }
}
