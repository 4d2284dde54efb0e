import { expect } from 'chai';
import { DatabaseUnavailable } from '../../../core/data/errors.js';
import { Batcher } from '../../../core/services/runtime/batcher.js';

describe('a batcher', () => {
  it('batches the items that arrive during a run, each with its own result', async () => {
    const runs: (readonly number[])[] = [];
    const batcher = new Batcher<number, number>(
      (items) => {
        runs.push(items);
        return new Promise((resolve) => setImmediate(() => resolve(items.map((item) => item * 2))));
      },
      { maxItems: 3 },
    );
    const results = await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)));
    expect(results).to.deep.equal([2, 4, 6, 8, 10]);
    expect(runs).to.deep.equal([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(await batcher.add(6)).to.equal(12);
  });

  it('rejects every item of a failed batch, and continues', async () => {
    let failing = true;
    const batcher = new Batcher<number, number>(
      (items) => (failing ? Promise.reject(new Error('away')) : Promise.resolve(items)),
      { maxItems: 10 },
    );
    const failed = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    failing = false;
    expect(await batcher.add(3)).to.equal(3);
  });

  it('waits for more items before each batch that is not full, if it has to', async () => {
    const runs: number[] = [];
    const batcher = new Batcher<number, number>(
      (items) => {
        runs.push(items.length);
        return Promise.resolve(items);
      },
      { maxItems: 3, gatherMs: 5 },
    );
    const first = [batcher.add(1), batcher.add(2)];
    const later = Promise.all(first).then(() => Promise.all([batcher.add(3), batcher.add(4)]));
    expect(await later).to.deep.equal([3, 4]);
    await Promise.all([5, 6, 7].map((item) => batcher.add(item)));
    expect(runs).to.deep.equal([2, 2, 3]);
  });

  it('waits again while the items are few, and not for a batch that is full', async () => {
    const asked: (readonly [number, number])[] = [];
    const runs: number[] = [];
    const gathersMore = (items: readonly number[], pauses: number): boolean => {
      asked.push([items.length, pauses]);
      if (pauses === 2) added.push(batcher.add(3));
      return pauses < 3;
    };
    const batcher = new Batcher<number, number>(
      (items) => {
        runs.push(items.length);
        return Promise.resolve(items);
      },
      { maxItems: 4, gatherMs: 1, gathersMore },
    );
    const added = [batcher.add(1), batcher.add(2)];
    await Promise.all(added);
    expect(asked).to.deep.equal([
      [2, 1],
      [2, 2],
      [3, 3],
    ]);
    await Promise.all([4, 5, 6, 7].map((item) => batcher.add(item)));
    expect(runs).to.deep.equal([3, 4]);
  });

  it('processes each item of a failed batch alone, if one must not make others fail', async () => {
    let isAway = false;
    const runs: number[] = [];
    const batcher = new Batcher<string, string>(
      (items) => {
        runs.push(items.length);
        if (isAway) return Promise.reject(new DatabaseUnavailable());
        return items.includes('bad') ? Promise.reject(new Error('bad')) : Promise.resolve(items);
      },
      { maxItems: 10, isolates: true },
    );
    const mixed = await Promise.allSettled(['a', 'bad', 'b'].map((item) => batcher.add(item)));
    expect(mixed.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    isAway = true;
    const away = await Promise.allSettled(['a', 'b'].map((item) => batcher.add(item)));
    expect(away.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(runs).to.deep.equal([3, 1, 1, 1, 2]);
  });
});
