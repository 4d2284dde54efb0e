import { EngineError } from '../../../core/ports/engine.js';
import type { EslLink } from './esl-link.js';

/**
 * Starts an API command as a background job, whose outcome BACKGROUND_JOB reports.
 * @param what names the command in errors
 * @throws EngineError `rejected`; `unreachable` if the command was never sent; `indeterminate` if only its reply was lost
 */
export async function startJob(
  link: Pick<EslLink, 'background'>,
  jobId: string,
  command: string,
  what: string,
): Promise<void> {
  try {
    await link.background(jobId, command);
  } catch (error) {
    if (!(error instanceof EngineError) || error.kind === 'rejected' || isUnsent(error)) throw error;
    throw new EngineError('indeterminate', `The reply to ${what} was lost: ${error.message}`, { cause: error });
  }
}

/** Whether the command was never sent. */
function isUnsent(error: EngineError): boolean {
  return error.kind === 'unreachable' && error.message.includes('not connected');
}
