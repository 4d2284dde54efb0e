import { unlessUnavailable } from '../../data/errors.js';
import { isExtension } from '../../model/call/destinations.js';
import {
  FORWARD_CASES,
  NO_ANSWER_SECONDS,
  type ForwardingChange,
  type ForwardTarget,
} from '../../model/call/forwarding.js';
import { HatifError } from '../../model/errors/index.js';
import { VOICEMAIL_DIGIT, type AgentFeature } from '../../model/feature-codes.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { AgentView } from './agents.js';
import type { ManageForwarding } from './forwarding.js';

/** The codes by which agents set forwards and do-not-disturb. */
export type ForwardingFeature = Extract<
  AgentFeature,
  { does: 'forward' | 'cancel_forward' | 'cancel_forwards' | 'do_not_disturb' }
>;

/** The result of a code; `to` is where calls are forwarded to now, if the code was about that. */
export type ForwardingOutcome =
  | { readonly outcome: 'changed'; readonly to: ForwardTarget | null }
  | { readonly outcome: 'no_destination' | 'not_allowed' | 'failed' };

export interface ForwardingByPhoneOptions {
  readonly manage: Pick<ManageForwarding, 'change'>;
  readonly emergency: ReadonlySet<string>;
  /** Notifies the agent's queues. */
  readonly reportChange: (projectId: string, agent: AgentView, change: 'changed') => void;
}

/** Forwards and do-not-disturb that agents set by their softphones. */
export class ForwardingByPhone {
  constructor(private readonly options: ForwardingByPhoneOptions) {}

  async change(projectId: string, agent: string, feature: ForwardingFeature): Promise<ForwardingOutcome> {
    const change = this.#changeOf(feature);
    if (change === null) return { outcome: 'no_destination' };
    try {
      const changed = this.options.manage.change(projectId, agent, change);
      const row = await unlessUnavailable(changed, () => null);
      if (!row) return { outcome: 'failed' };
      this.options.reportChange(projectId, row, 'changed');
      return { outcome: 'changed', to: feature.does === 'forward' ? row.forwarding[feature.case] : null };
    } catch (error) {
      if (!(error instanceof HatifError)) throw error;
      if (error.code === 'INSUFFICIENT_PERMISSIONS') return { outcome: 'not_allowed' };
      return { outcome: 'no_destination' };
    }
  }

  #changeOf(feature: ForwardingFeature): ForwardingChange | null {
    switch (feature.does) {
      case 'do_not_disturb':
        return { do_not_disturb: feature.on };
      case 'cancel_forward':
        return { [feature.case]: null };
      case 'cancel_forwards':
        return Object.fromEntries(FORWARD_CASES.map((each) => [each, null]));
      case 'forward': {
        const to = this.#targetOf(feature.to);
        const { seconds } = feature;
        const isTooLong = seconds !== null && (seconds < NO_ANSWER_SECONDS.min || seconds > NO_ANSWER_SECONDS.max);
        if (to === null || isTooLong) return null;
        return { [feature.case]: to, ...(seconds !== null && { no_answer_seconds: seconds }) };
      }
    }
  }

  #targetOf(dialled: string): ForwardTarget | null {
    if (dialled === VOICEMAIL_DIGIT) return { type: 'voicemail', target: null };
    const number = parseNumber(dialled, { allowForeign: true, emergency: this.options.emergency });
    if (number) return { type: 'number', target: number.e164 };
    return isExtension(dialled) ? { type: 'agent', target: dialled } : null;
  }
}
