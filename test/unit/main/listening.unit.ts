import { expect } from 'chai';
import { listening, type PortUnavailable } from '../../../main/install/listening.js';

describe('a port that is in use', () => {
  const port = { name: 'PORT', value: 8080 } as const;
  const fails = async (running: number | null): Promise<string> =>
    listening({ HOST: '127.0.0.1', port, running }, () =>
      Promise.reject(Object.assign(new Error('in use'), { code: 'EADDRINUSE' })),
    ).then(
      () => 'listened',
      (error: unknown) => `${(error as PortUnavailable).message}: ${(error as PortUnavailable).startWith}`,
    );

  it('is replaced by another one if another program has it', async () => {
    expect(await fails(null)).to.equal(
      'PORT: 127.0.0.1:8080 is used by another program. Choose another port: PORT=8081',
    );
  });

  it('names the process of Hatif that runs with the same data, which has to stop first', async () => {
    expect(await fails(4711)).to.match(/process 4711\): to start it again, stop that process first\..*PORT=8081/);
  });
});
