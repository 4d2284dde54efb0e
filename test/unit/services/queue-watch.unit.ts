import { expect } from 'chai';
import type { AgentRow, LegRow } from '../../../core/data/rows.js';
import { Dispatcher } from '../../../core/model/queue/dispatcher.js';
import type { QueueCoordinator } from '../../../core/services/queues/coordinator.js';
import { QueueWatch } from '../../../core/services/queues/watch.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../support/logger.js';

const LEG = { id: 'leg', endpoint: { type: 'softphone', aor: 'ann' } } as const;
const created = { ...LEG, status: 'created' } as unknown as LegRow;
const ended = { ...LEG, status: 'ended' } as unknown as LegRow;

describe('the queue watch', () => {
  it('reports a leg’s beginning before its end, even if the lookup for the beginning takes longer', async () => {
    const dispatcher = new Dispatcher();
    dispatcher.apply({ at: 0, type: 'agent_put', agent: 'ann', priority: 5 });
    const coordinator = {
      known: () => null,
      notifyReliably: (_: string, make: Parameters<QueueCoordinator['notifyReliably']>[1]) => {
        for (const event of make(dispatcher)) dispatcher.apply({ at: 0, ...event });
      },
    } as unknown as QueueCoordinator;
    let finishFirst = (): void => undefined;
    const lookups = [new Promise<void>((resolve) => (finishFirst = resolve)), Promise.resolve()];
    const watch = new QueueWatch({
      coordinator,
      log: { heads: () => Promise.resolve([{ project_id: 'project', sequence: 0, due_at: null }]) },
      visits: {} as never,
      agentByAor: async () => {
        await lookups.shift();
        return { agent: 'ann', project_id: 'project' } as AgentRow;
      },
      agentsOf: () => Promise.resolve([]),
      clock: new VirtualClock(),
      logger: quiet,
    });
    await watch.poll();
    watch.wrote({ legs: [created] });
    watch.wrote({ legs: [ended] });
    // A watch that did not keep the order would report the end by now.
    await new Promise((resolve) => setImmediate(resolve));
    finishFirst();
    await watch.idle();
    expect(dispatcher.agent('ann')?.legIds).to.deep.equal([]);
  });
});
