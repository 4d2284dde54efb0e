import type { Phrase } from '../../model/errors/index.js';
import { isolate } from '../../model/wording/wording.js';
import type { ProviderRefusal } from '../../ports/messaging/provider-errors.js';

/** What the provider says, which is English. */
export function refusedBy({ message }: ProviderRefusal): Phrase {
  return { en: `was refused by the provider: ${message}`, ar: `رفضه المزوّد: ${isolate(message)}` };
}
