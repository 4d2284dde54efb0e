import { featureCodes, type FeatureCodes } from '../../core/model/feature-codes.js';
import type { Settings } from '../../config/settings.js';
import { settingProblem, SettingsError } from '../../config/settings-error.js';

/** The codes that softphones dial. @throws SettingsError for an entry that cannot be used */
export function readFeatureCodes({ FEATURE_CODES }: Pick<Settings, 'FEATURE_CODES'>): FeatureCodes {
  const codes = featureCodes(Object.fromEntries(FEATURE_CODES));
  if ('fault' in codes) throw new SettingsError([settingProblem('FEATURE_CODES', codes.fault, codes.entry)]);
  return codes;
}
