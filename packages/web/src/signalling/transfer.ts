import { ownError } from '../errors/error.js';
import type { SipSession } from './jssip.js';

/** Asks the platform to transfer a call (REFER, RFC 3515). Resolves when the other side is connected there. */
export function transferTo(session: SipSession, address: string, replaces: SipSession | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(ownError('TRANSFER_FAILED'));
    // The platform ends a call that was transferred; its last notice may come later, or not at all.
    session.on('ended', ({ originator }) => {
      if (originator === 'remote') resolve();
      else fail();
    });
    const eventHandlers = { requestFailed: fail, accepted: () => resolve(), failed: fail };
    session.refer(address, { eventHandlers, ...(replaces === null ? {} : { replaces }) });
  });
}
