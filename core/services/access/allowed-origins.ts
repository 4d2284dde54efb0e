import { invalidField, type Phrase } from '../../model/errors/index.js';
import { parseAllowedOrigin } from '../../model/access/origin.js';
import { arabic } from '../../model/wording/wording.js';

const MAX_ORIGINS = 50;

const TOO_MANY: Phrase = {
  en: `must not be more than ${MAX_ORIGINS}`,
  ar: arabic`يجب ألا تزيد على ${MAX_ORIGINS}`,
};
const NO_ORIGIN: Phrase = {
  en: 'must be a web origin such as https://www.example.com, or https://*.example.com for all subdomains',
  ar: 'يجب أن يكون أصل موقع مثل `https://www.example.com`، أو `https://*.example.com` لكل النطاقات الفرعية',
};

/** The field `allowed_origins` of a widget or project, each origin once. @throws HatifError VALIDATION_ERROR */
export function checkedOrigins(origins: readonly string[]): string[] {
  if (origins.length > MAX_ORIGINS) throw invalidField('allowed_origins', TOO_MANY);
  const allowed = origins.map((text, index) => {
    const origin = parseAllowedOrigin(text.trim());
    if (origin === null) throw invalidField(`allowed_origins[${index}]`, NO_ORIGIN);
    return origin;
  });
  return [...new Set(allowed)];
}
