import { HatifError } from '../../../model/errors/index.js';

/** Any fault that is not the client's becomes SIGNUP_FAILED, with the fault as its cause. */
export async function orSignupFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HatifError && error.code !== 'INTERNAL_ERROR') throw error;
    throw new HatifError('SIGNUP_FAILED', {}, { cause: error });
  }
}
