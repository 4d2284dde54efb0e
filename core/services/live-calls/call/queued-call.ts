import type { LegRow } from '../../../data/rows.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import type { VisitOutcome } from '../../../model/queue/types.js';
import { EngineError, type Engine } from '../../../ports/engine.js';
import type { Clock } from '../../../ports/clock.js';
import type { CallHost } from './call-host.js';
import type { LegView, QueueControl, QueuePlace } from '../../call-state/program.js';
import { enterQueue, leaveQueue } from '../../call-state/queue-wait.js';

/** What a program may do with its call in a queue. Every method runs in the call's turn. */
export class QueuedCall implements QueueControl {
  constructor(
    private readonly live: CallHost,
    private readonly context: { readonly engine: Engine; readonly clock: Clock },
  ) {}

  get hasEarlyMedia(): boolean {
    return this.context.engine.capabilities.has('early_media');
  }

  get projectId(): string {
    return this.live.state.row.project_id;
  }

  get isToBeRecorded(): boolean {
    return this.live.state.row.options.record;
  }

  legs(): readonly LegView[] {
    return this.live.state.legs.map(viewOf);
  }

  entered(queue: QueuePlace): void {
    enterQueue(this.live.state, queue, this.context.clock.now());
  }

  left(outcome: VisitOutcome, agent?: string): void {
    leaveQueue(this.live.state, outcome, agent ?? null, this.context.clock.now());
  }

  async park(legId: string): Promise<void> {
    await this.live.park(legId);
  }

  async unpark(legId: string): Promise<void> {
    await this.live.unpark(legId);
  }

  async offer(legId: string, agent: string, ringSeconds: number): Promise<number | null> {
    const dialled = await this.live.dial('agent', { type: 'agent', target: agent }, ringSeconds, { legId });
    return 'refused' in dialled ? dialled.refused : null;
  }

  async take(legId: string, agent: string): Promise<void> {
    const { live } = this;
    live.state.set({ agent });
    const customer = live.leg('customer');
    if (!customer) return;
    await live.join([customer.legId, legId]);
    live.markAnswered();
  }

  async dismiss(legId: string): Promise<void> {
    if (this.live.state.leg(legId)?.status === 'answered') this.live.state.makeTransferLeg(legId);
    await this.live.hangupLeg(legId, Q850.NORMAL_CLEARING);
  }

  async record(legId: string): Promise<void> {
    try {
      await this.live.recordings.start(legId, 2, null);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      this.live.note('recording.refused', { kind: error.kind });
    }
  }
}

export function viewOf(leg: LegRow): LegView {
  return {
    legId: leg.id,
    role: leg.role,
    status: leg.status,
    hasRung: leg.ringing_at !== null,
    wasAnswered: leg.answered_at !== null,
    hangupQ850: leg.hangup_q850,
  };
}
