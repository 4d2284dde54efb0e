import { HatifError } from '../../model/errors/index.js';

export function providerFailed(reason: string, cause?: unknown): HatifError {
  return new HatifError('NUMBER_PROVIDER_ERROR', { reason }, { cause });
}
