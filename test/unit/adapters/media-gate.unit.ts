import { expect } from 'chai';
import { Gate } from '../../../adapters/media/gate.js';

/** Lets every callback run that follows from what is already resolved. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('The gate of the audio converter', () => {
  it('lets groups take turns, whatever the number of their tasks', async () => {
    const gate = new Gate(1, 100);
    const order: string[] = [];
    const task = (name: string) => async (): Promise<void> => {
      order.push(name);
      await settled();
    };
    const all = [
      ...['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => gate.enter(task(name), 'a')),
      ...['b1', 'b2'].map((name) => gate.enter(task(name), 'b')),
      gate.enter(task('c1'), 'c'),
    ];
    await Promise.all(all.map((turn) => turn ?? Promise.reject(new Error('the queue is full'))));
    expect(order).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']);
  });

  it('rejects what exceeds the share of a group, and leaves the rest of the queue to others', async () => {
    const gate = new Gate(1, 4, 2);
    const work = (): Promise<void> => settled();
    const entered = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c'].map((group) => gate.enter(work, group));
    expect(entered.map((turn) => turn !== null)).to.deep.equal([true, true, true, false, true, true, false, false]);
    await Promise.all(entered.filter((turn) => turn !== null));
    expect(gate.enter(work, 'a')).to.not.equal(null);
  });

  it('continues after a task that fails', async () => {
    const gate = new Gate(1, 4);
    const failed = gate.enter(() => Promise.reject(new Error('broken')), 'a')?.catch(() => 'failed');
    const next = gate.enter(() => Promise.resolve('done'), 'b');
    expect([await failed, await next]).to.deep.equal(['failed', 'done']);
  });
});
