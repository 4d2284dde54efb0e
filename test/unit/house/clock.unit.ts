import { once } from 'node:events';
import { expect } from 'chai';
import { pause, within } from '../../../core/ports/clock.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { failureOf } from '../../support/judges/failure-of.js';

describe('a pause', () => {
  let clock: VirtualClock;
  let over: boolean;

  beforeEach(() => {
    clock = new VirtualClock();
    over = false;
  });

  it('is over when its time has passed', async () => {
    void pause(clock, 100).then(() => (over = true));
    await clock.advance(99);
    expect(over).to.equal(false);
    await clock.advance(1);
    expect(over).to.equal(true);
  });

  it('ends early if it is cancelled, and leaves no timer behind', async () => {
    let end = (): void => undefined;
    void pause(clock, 100, (ends) => (end = ends)).then(() => (over = true));
    end();
    await clock.advance(0);
    expect(over).to.equal(true);
    expect(await clock.step()).to.equal(false);
  });
});

describe('work with a time limit', () => {
  it('returns its result or throws its error', async () => {
    expect(await within(60_000, Promise.resolve('done'))).to.equal('done');
    const trouble = new Error('refused');
    expect(await failureOf(within(60_000, Promise.reject(trouble)))).to.equal(trouble);
  });

  it('returns a result that arrived while this process was busy', async () => {
    const { port1, port2 } = new MessageChannel();
    const arrived = once(port2, 'message').then(([answer]: unknown[]) => answer);
    port1.postMessage('done');
    const done = within(1, arrived);
    const busyUntil = performance.now() + 20;
    while (performance.now() < busyUntil);
    expect(await done).to.equal('done');
    port2.close();
  });

  it('fails when it takes too long', async () => {
    const never = new Promise<void>(() => undefined);
    expect(await failureOf(within(1, never)))
      .to.be.instanceOf(Error)
      .with.property('message', 'no answer within 1 ms');
  });
});
