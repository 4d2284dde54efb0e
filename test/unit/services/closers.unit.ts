import { expect } from 'chai';
import { Closers } from '../../../core/services/runtime/closers.js';
import { failureOf } from '../../support/judges/failure-of.js';

describe('closers', () => {
  it('close in reverse order, one after another', async () => {
    const closed: string[] = [];
    const closers = new Closers();
    closers.add(() => closed.push('database'));
    closers.add(async () => {
      await Promise.resolve();
      closed.push('server');
    });
    await closers.close();
    expect(closed).to.deep.equal(['server', 'database']);
  });

  it('close each once', async () => {
    let times = 0;
    const closers = new Closers();
    closers.add(() => (times += 1));
    await closers.close();
    await closers.close();
    expect(times).to.equal(1);
  });

  it('close all remaining resources after a failure, then throw it', async () => {
    const closed: string[] = [];
    const trouble = new Error('stuck');
    const closers = new Closers();
    closers.add(() => closed.push('database'));
    closers.add(() => Promise.reject(trouble));
    closers.add(() => closed.push('server'));
    expect(await failureOf(closers.close())).to.equal(trouble);
    expect(closed).to.deep.equal(['server', 'database']);
  });

  it('ignore a failure of a tolerant closer', async () => {
    const closers = new Closers();
    closers.addTolerant(() => Promise.reject(new Error('gone')));
    await closers.close();
  });
});
