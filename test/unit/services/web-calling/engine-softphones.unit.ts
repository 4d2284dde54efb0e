import { expect } from 'chai';
import { CommandTimeout, type CommandBus, type CommandOutcome } from '../../../../core/ports/command-bus.js';
import { EngineSoftphones } from '../../../../core/services/provisioning/softphones.js';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../../support/logger.js';

const ENGINE = { id: 'e1', name: 'first' };
const BROWSER = { aor: 'web.1', displayName: 'Reem', password: 'sealed', isBrowser: true };
/** For an answer that never comes. */
const SOON_MS = 20;
const LONG_MS = 60_000;

describe('one engine that is asked for a softphone', () => {
  const answered = (send: CommandBus['send'], withinMs = LONG_MS): Promise<boolean> => {
    const options = { engines: () => Promise.resolve([ENGINE]), bus: { send }, clock: new VirtualClock(), log: quiet };
    return new EngineSoftphones(options).acceptAt(ENGINE, BROWSER, withinMs);
  };

  it('has it if its owner says so', async () => {
    const asked: unknown[] = [];
    const send = (...[id, command]: Parameters<CommandBus['send']>): Promise<CommandOutcome> => {
      asked.push([id, command]);
      return Promise.resolve({ result: 'done' });
    };
    expect(await answered(send)).to.equal(true);
    expect(asked).to.deep.equal([['e1', { type: 'accept_softphone', ...BROWSER }]]);
  });

  it('does not have it for sure if it refuses it, is away, or has no owner that answers in time', async () => {
    const refused: CommandOutcome = { result: 'engine_refused', kind: 'rejected', message: 'no more endpoints' };
    expect(await answered(() => Promise.resolve(refused))).to.equal(false);
    expect(await answered(() => Promise.resolve({ result: 'not_controllable' }))).to.equal(false);
    expect(await answered(() => Promise.reject(new CommandTimeout('no owner', false)))).to.equal(false);
    expect(await answered(() => Promise.reject(new Error('the bus is broken')))).to.equal(false);
    expect(await answered(() => new Promise(() => undefined), SOON_MS)).to.equal(false);
  });
});

describe('all engines that are asked for a softphone', () => {
  it('are asked until the time is up, and once at least', async () => {
    const clock = new VirtualClock();
    let asked = 0;
    const send = (): Promise<CommandOutcome> => {
      asked += 1;
      return Promise.resolve({ result: 'not_controllable' });
    };
    const softphones = new EngineSoftphones({
      engines: () => Promise.resolve([ENGINE]),
      bus: { send },
      clock,
      log: quiet,
    });
    const accepted = softphones.accept(BROWSER, 2_000);
    await clock.advance(2_000);
    expect([await accepted, asked]).to.deep.equal([false, 5]);
    expect([await softphones.accept(BROWSER, 0), asked]).to.deep.equal([false, 6]);
  });
});
