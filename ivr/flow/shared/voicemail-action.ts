import { parseNumber } from '../../../core/model/phone-numbers.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { SimulationEnd } from '../simulated-call.js';

/** Hands the caller over to a voicemail box. */
export class VoicemailAction implements FlowAction<never> {
  /** @param number whose box; null: the number that was called */
  constructor(private readonly number: string | null) {}

  async perform(flow: FlowCall): Promise<null> {
    const { number } = this;
    const { parties } = flow.call.flow;
    const { lineNumber } = parties;
    const e164 = number === null ? lineNumber : (parseNumber(number, { allowForeign: true })?.e164 ?? null);
    const numberId = e164 === null ? null : await flow.deps.numberId(parties, e164);
    if (numberId === null) return flow.fail('there is no such voicemail box');
    return flow.continueAs({ type: 'voicemail', numberId });
  }

  simulate(): SimulationEnd {
    return new SimulationEnd('voicemail', null, { type: 'voicemail', target: this.number });
  }
}
