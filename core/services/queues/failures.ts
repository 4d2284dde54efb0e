import { DatabaseUnavailable } from '../../data/errors.js';
import { isLockTimeout } from '../../data/repositories/queues/queue-log.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';

/** The action of a request that changes nothing. */
export const READING: Phrase = { en: 'reading', ar: 'قراءة الحالة' };

/**
 * Maps failures to API errors. @throws HatifError QUEUE_SERVICE_UNAVAILABLE while the dispatcher's log is unavailable,
 * QUEUE_CONTROL_FAILED after a lock timeout
 */
export async function onQueues<T>(action: Phrase, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw new HatifError('QUEUE_SERVICE_UNAVAILABLE', {}, { cause: error });
    if (isLockTimeout(error)) throw new HatifError('QUEUE_CONTROL_FAILED', { action }, { cause: error });
    throw error;
  }
}
