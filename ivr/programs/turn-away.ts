import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { SpeechLanguage } from '../../core/ports/speech.js';
import type { CallControl, CallProgram, Ending, Prompts } from '../../core/services/call-state/program.js';
import { bilingualItems, type BilingualPrompt } from '../dialogue/bilingual.js';

const REFUSED: BilingualPrompt = {
  ar: 'نعتذر، لا يمكننا استقبال مكالمتك.',
  en: 'Sorry, your call cannot be taken.',
};
const WITHHELD: BilingualPrompt = {
  ar: 'نعتذر، لا نستقبل المكالمات من الأرقام المخفية. فضلًا أظهر رقمك ثم اتصل مرة أخرى.',
  en: 'Sorry, calls without a number are not taken here. Please show your number and call again.',
};

const TURNED_AWAY: Ending = { q850: Q850.CALL_REJECTED, status: 'missed', disposition: 'rejected' };

export interface TurnAwayOptions {
  /** The caller shows no number, and hears that this is the reason. */
  readonly isWithheld: boolean;
  /** The languages in which the project speaks. */
  readonly languages: (projectId: string) => Promise<readonly SpeechLanguage[]>;
  readonly prompts: Prompts;
}

/** Tells a blocked caller, as early media, that the call is not taken, then rejects it. It is never answered. */
export class TurnAwayProgram implements CallProgram {
  #playbackId: string | null = null;

  constructor(private readonly options: TurnAwayOptions) {}

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    const { isWithheld, languages, prompts } = this.options;
    const text = isWithheld ? WITHHELD : REFUSED;
    const items = await bilingualItems(prompts, text, await languages(call.queue.projectId));
    if (items.length === 0) await call.end(TURNED_AWAY);
    else this.#playbackId = await call.play(customer.legId, items);
  }

  /** The caller has heard a part of it. */
  async resume(call: CallControl): Promise<void> {
    await call.end(TURNED_AWAY);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (event.type === 'play.finished' && event.playbackId === this.#playbackId) await call.end(TURNED_AWAY);
  }
}
