import { expect } from 'chai';
import { SerialExecutor } from '../../../core/services/runtime/serial-executor.js';

/** A promise that the test resolves. */
function gate(): { promise: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

describe('a serial executor', () => {
  it('runs the tasks of one key one at a time, in order', async () => {
    const executor = new SerialExecutor();
    const first = gate();
    const seen: string[] = [];
    const tasks = [
      executor.post('a', async () => {
        seen.push('first begins');
        await first.promise;
        seen.push('first ends');
      }),
      executor.post('a', () => Promise.resolve(void seen.push('second'))),
    ];
    first.open();
    await Promise.all(tasks);
    expect(seen).to.deep.equal(['first begins', 'first ends', 'second']);
  });

  it('does not make one key wait for another', async () => {
    const executor = new SerialExecutor();
    const stuck = gate();
    const held = executor.post('a', () => stuck.promise);
    expect(await executor.post('b', () => Promise.resolve('done'))).to.equal('done');
    stuck.open();
    await held;
  });

  it('rejects only the failed task and continues', async () => {
    const executor = new SerialExecutor();
    const failing = executor.post('a', () => Promise.reject(new Error('broken')));
    const next = executor.post('a', () => Promise.resolve('next'));
    let caught: unknown;
    await failing.catch((error: unknown) => (caught = error));
    expect(caught).to.be.instanceOf(Error).with.property('message', 'broken');
    expect(await next).to.equal('next');
  });

  it('drops keys without tasks', async () => {
    const executor = new SerialExecutor();
    await executor.post('a', () => Promise.resolve());
    await executor.idle();
    expect(executor.size).to.equal(0);
  });
});
