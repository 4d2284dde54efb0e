import { expect } from 'chai';
import { EdgeDelay } from '../../../sip/calls/edge-delay.js';

describe('the delay of the edge', () => {
  let now = 0;
  let answer: (status: number | null) => void = () => undefined;
  const sent: string[] = [];
  const delay = new EdgeDelay({
    relay: { host: '127.0.0.1', port: 5090 },
    monotonicMs: () => now,
    send(method, { uri }) {
      sent.push(`${method} ${uri}`);
      return new Promise((resolve) => (answer = resolve));
    },
  });

  it('is that of the last OPTIONS, or of one that takes longer already', async () => {
    expect(delay.currentMs()).to.equal(0);
    const first = delay.measure();
    expect(sent).to.deep.equal(['OPTIONS sip:127.0.0.1:5090;transport=udp']);
    now += 300;
    expect(delay.currentMs(), 'on its way').to.equal(300);
    answer(200);
    await first;
    now += 1_000;
    expect(delay.currentMs(), 'answered').to.equal(300);
    const second = delay.measure();
    now += 20;
    expect(delay.currentMs(), 'the next one').to.equal(300);
    answer(200);
    await second;
    expect(delay.currentMs()).to.equal(20);
  });

  it('is unknown without a relay', async () => {
    const measured = delay.measure();
    now += 5_000;
    answer(null);
    await measured;
    expect(delay.currentMs()).to.equal(0);
  });
});
