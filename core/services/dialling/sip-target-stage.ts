import { invalidField } from '../../model/errors/index.js';
import { parseSipUri } from '../../model/sip-uri.js';
import { identityIn } from '../routing/destinations.js';
import type { LegStage } from './dialled-leg.js';
import type { SipTargets } from './sip-targets.js';

/**
 * Refuses SIP addresses at hosts that the operator did not allow, and those with parameters. Browsers of the project are
 * always allowed.
 * @throws HatifError VALIDATION_ERROR at the leg's field
 */
export function sipTargetStage(targets?: Pick<SipTargets, 'allows'>): LegStage {
  return async ({ to, field }) => {
    if (to.type !== 'sip' || identityIn(to.target) !== null) return;
    const uri = parseSipUri(to.target);
    if (uri !== null && (await targets?.allows(uri)) === true) return;
    throw invalidField(field, {
      en: 'must be a SIP address without parameters, at a host that the operator allows',
      ar: 'يجب أن يكون عنوان SIP من دون معاملات وعلى مضيف يسمح به المشغّل',
    });
  };
}
