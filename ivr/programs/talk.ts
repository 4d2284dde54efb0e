import type { CallControl, CallProgram } from '../../core/services/call-state/program.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import { NORMAL } from '../dialogue/endings.js';

/** Customer and agent are bridged. The call ends when either hangs up. */
export class TalkProgram implements CallProgram {
  async start(call: CallControl): Promise<void> {
    await this.resume(call);
  }

  async resume(call: CallControl): Promise<void> {
    if (call.leg('agent')?.status === 'ended') await call.end(NORMAL);
  }

  async onLegEvent(call: CallControl, { type, legId }: LegEvent): Promise<void> {
    if (type !== 'leg.ended') return;
    // An agent who transferred the call away is no longer a party to it.
    const parties = [call.leg('customer')?.legId, call.leg('agent')?.legId];
    if (parties.includes(legId)) await call.end(NORMAL);
  }
}
